"""Parameters that are None unless a call passes them: which tests ask for that, and which calls pass them.

A branch of a helper that runs only if a parameter was left out is no part of a training step whose calls all pass it,
and the other way round.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import constant, position
from trainlint.analysis.syntax.reaching import reaching

RequiredParameter = tuple[str, bool]
"""A parameter that is None by default, and whether a call must pass it."""


class PassedArguments(NamedTuple):
    """Which arguments a call passes."""

    positions: int = 0
    """How many arguments stand by position."""
    names: tuple[str, ...] = ()
    """The keywords, without those whose value is a plain None."""
    unpacks: bool = False
    """Whether more is passed that only the run shows: `*args`, `**options`."""

    def passes(self, name: str, parameters: tuple[str, ...]) -> bool | None:
        """Whether a parameter is passed; None where the text does not tell. `parameters` has no `self`."""
        if name in self.names:
            return True
        if self.unpacks or name not in parameters or self.positions > len(parameters):
            return None
        return parameters.index(name) < self.positions


NO_ARGUMENTS = PassedArguments()


def passed_arguments(call: ast.Call) -> PassedArguments:
    """The arguments that the text of a call passes."""
    unpacks = any(type(item) is ast.Starred or constant(item) is None for item in call.args) if call.args else False
    if not call.keywords:
        return PassedArguments(len(call.args), (), unpacks)
    names = tuple([item.arg for item in call.keywords if item.arg is not None and constant(item.value) is not None])
    return PassedArguments(len(call.args), names, unpacks or any(item.arg is None for item in call.keywords))


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
