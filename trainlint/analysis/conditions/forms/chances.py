"""Tests that a random number decides: `random.random() < 0.01`."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.host_reads import ITEM

_DRAWS = frozenset({"random", "rand", "uniform"})
_SELDOM = 0.1
"""Code that runs with at most this chance runs in few steps."""


def compared_draw(question: Question) -> Condition | None:
    """A comparison of a random number between 0 and 1 with a chance."""
    test = question.test
    assert isinstance(test, ast.Compare)
    if not isinstance(test.ops[0], (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return None
    smaller, larger = test.left, test.comparators[0]
    if isinstance(test.ops[0], (ast.Gt, ast.GtE)):
        smaller, larger = larger, smaller
    if _is_draw(smaller, question):
        limit, below = larger, question.outcome
    elif _is_draw(larger, question):
        limit, below = smaller, not question.outcome
    else:
        return None
    value = constant(limit)
    rare = isinstance(value, (int, float)) and (value if below else 1 - value) <= _SELDOM
    return Condition(ConditionKind.CHANCE, test.lineno, "by chance", rare=rare)


def _is_draw(node: ast.expr, question: Question) -> bool:
    node = single_value(node, question.block) or node
    if isinstance(node, ast.Call) and last_name(node.func) == ITEM.name and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return isinstance(node, ast.Call) and last_name(node.func) in _DRAWS
