"""Tests for a tensor without elements: `boxes.shape[0] == 0`, `if not boxes.numel():`.

Batches and items without any content are the exception, so code that handles them runs seldom.
"""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import constant, last_name

_SIZES = frozenset({"shape", "size", "numel", "nelement"})


def compared(question: Question) -> Condition | None:
    """`boxes.shape[0] == 0`, `boxes.numel() < 1`, and the `else` of `boxes.size(0) > 0`."""
    test = question.test
    assert isinstance(test, ast.Compare)
    operator, limit = test.ops[0], constant(test.comparators[0])
    if isinstance(limit, bool) or not _is_size(test.left):
        return None
    match operator:
        case ast.Eq() | ast.LtE():
            is_empty = limit == 0 and question.outcome
        case ast.NotEq() | ast.Gt():
            is_empty = limit == 0 and not question.outcome
        case ast.Lt():
            is_empty = limit == 1 and question.outcome
        case ast.GtE():
            is_empty = limit == 1 and not question.outcome
        case _:
            return None
    return _rarely(question) if is_empty else None


def called(question: Question) -> Condition | None:
    """`if not boxes.numel():`."""
    return _rarely(question) if not question.outcome and _is_size(question.test) else None


def _rarely(question: Question) -> Condition:
    return Condition(ConditionKind.UNKNOWN, question.test.lineno, "where there is no data", rare=True)


def _is_size(node: ast.expr) -> bool:
    """Whether an expression is a size of what is no list that the program keeps: of a tensor, most likely."""
    if isinstance(node, ast.Subscript):
        node = node.value
        return isinstance(node, ast.Attribute) and node.attr == "shape"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and last_name(node.func) in _SIZES
