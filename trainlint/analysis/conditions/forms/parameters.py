"""Tests of what a function's calls pass, or what a class's calls gave its object: each call decides.

`mask is not None`, `if return_loss:`, `kind == "mean"`, and `if self.draws:` where `__init__` keeps its parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from trainlint.analysis.conditions.arguments import RequiredParameter, key_of_unpacked, written_constant
from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Binding, Block, How
from trainlint.analysis.syntax.names import constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching

_SAME = (ast.Eq, ast.Is)
_OTHER = (ast.NotEq, ast.IsNot)
_DEEPEST = 3
_NUMBERS = frozenset({"float", "int", "bool"})
"""Calls that leave what a test asks of a number as it is."""


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
    needs = RequiredParameter(name, "None", not passed)
    return Condition(ConditionKind.PARAMETER, test.lineno, needs.words, name=name, value=passed, needs=needs)


def _is_none_by_default(name: ast.Name, block: Block) -> bool:
    bindings = reaching(name.id, block, position(name))
    return bool(bindings) and all(
        item.how is How.PARAMETER and item.value is not None and constant(item.value) is None for item in bindings
    )


def required(question: Question) -> RequiredParameter | None:
    """What a test needs of a parameter, whatever else is known of it; None for other tests."""
    match question.test:
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if isinstance(operator, _SAME + _OTHER):
            literal = written_constant(right)
            same = isinstance(operator, _SAME) == question.outcome
            return _of(question, left, literal, same, question.block) if literal else None
        case ast.Name() | ast.Attribute() | ast.Call() as value:
            return _of(question, value, "", question.outcome, question.block)
    return None


def _of(
    question: Question, value: ast.expr, literal: str, holds: bool, block: Block, depth: int = 0
) -> RequiredParameter | None:
    if depth > _DEEPEST:
        return None
    match value:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if not literal:
            return _of(question, operand, literal, not holds, block, depth + 1)
        case ast.Name():
            return _of_name(question, value, literal, holds, block, depth)
        case ast.Attribute():
            return _of_constructor(question, question.bindings(value), literal, holds)
        case ast.Call():
            function = question.flags.outline.enclosing(block)
            key = key_of_unpacked(value, function) if function is not None else None
            if key is not None:
                return RequiredParameter(key, literal, holds)
            if last_name(value.func) in _NUMBERS and len(value.args) == 1:
                return _of(question, value.args[0], literal, holds, block, depth + 1)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if not literal:
            written = written_constant(right)
            if written and isinstance(operator, _SAME + _OTHER):
                return _of(question, left, written, isinstance(operator, _SAME) == holds, block, depth + 1)
    return None


def _of_name(
    question: Question, name: ast.Name, literal: str, holds: bool, block: Block, depth: int
) -> RequiredParameter | None:
    """What a name needs that is a parameter, or that one plain assignment binds to something of parameters."""
    bindings = reaching(name.id, block, position(name))
    if bindings and all(item.how is How.PARAMETER for item in bindings):
        return RequiredParameter(name.id, literal, holds)
    assigned = _only_value(bindings)
    return _of(question, assigned, literal, holds, bindings[0].block, depth + 1) if assigned else None


def _of_constructor(
    question: Question, bindings: Sequence[Binding], literal: str, holds: bool
) -> RequiredParameter | None:
    """What an attribute needs that only `__init__` assigns, once and surely. A class that is registered is made
    elsewhere, too.
    """
    kept = _only_value(bindings)
    if kept is None:
        return None
    made = question.flags.outline.function_of.get(bindings[0].block.node)
    if made is None or made.name != "__init__" or made.owner is None or made.owner.node.decorator_list:
        return None
    found = _of(question, kept, literal, holds, bindings[0].block)
    return found._replace(constructor=made.qualified_name) if found is not None and not found.constructor else None


def _only_value(bindings: Sequence[Binding]) -> ast.expr | None:
    """The value of a single plain assignment."""
    only = bindings[0] if len(bindings) == 1 else None
    return only.value if only is not None and only.how is How.ASSIGN and not only.path else None
