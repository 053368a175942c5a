"""Tests of whether a function's calls pass something: `mask is not None`. Each call decides."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import constant, position
from trainlint.analysis.syntax.reaching import reaching


def compared(question: Question) -> Condition | None:
    """`mask is not None`, of a parameter that is None by default."""
    test = question.test
    assert isinstance(test, ast.Compare)
    operator = test.ops[0]
    if not isinstance(test.left, ast.Name) or not isinstance(operator, (ast.Is, ast.IsNot)):
        return None
    if constant(test.comparators[0]) is not None or not _is_none_by_default(test.left, question.block):
        return None
    name, passed = test.left.id, isinstance(operator, ast.IsNot) == question.outcome
    words = f"only if a call {'passes' if passed else 'leaves out'} `{name}`"
    return Condition(ConditionKind.PARAMETER, test.lineno, words, name=name, value=passed)


def _is_none_by_default(name: ast.Name, block: Block) -> bool:
    bindings = reaching(name.id, block, position(name))
    return bool(bindings) and all(
        item.how is How.PARAMETER and item.value is not None and constant(item.value) is None for item in bindings
    )
