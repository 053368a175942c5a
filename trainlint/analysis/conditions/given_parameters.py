"""Parameters that are None unless a call hands them over: which branches ask for that, and which calls do it.

A branch of a helper that runs only if a parameter was left out is no part of a training step whose calls all give it,
and the other way round.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import Block, BlockKind, How
from trainlint.analysis.syntax.names import constant, position
from trainlint.analysis.syntax.reaching import reaching

Ask = tuple[str, bool]
"""A parameter that is None by default, and whether it must be handed over."""


class Given(NamedTuple):
    """What a call hands over."""

    positions: int = 0
    """How many arguments stand by position."""
    names: tuple[str, ...] = ()
    """The keywords, without those that are given a plain None."""
    unpacks: bool = False
    """Whether more is handed over that only the run shows: `*args`, `**options`."""

    def hands(self, name: str, parameters: tuple[str, ...]) -> bool | None:
        """Whether a parameter is handed over; None where the text does not tell. `parameters` has no `self`."""
        if name in self.names:
            return True
        if self.unpacks or name not in parameters or self.positions > len(parameters):
            return None
        return parameters.index(name) < self.positions


NOTHING = Given()


def given(call: ast.Call) -> Given:
    """What the text of a call hands over."""
    unpacks = any(type(item) is ast.Starred or constant(item) is None for item in call.args) if call.args else False
    if not call.keywords:
        return Given(len(call.args), (), unpacks)
    names = tuple([item.arg for item in call.keywords if item.arg is not None and constant(item.value) is not None])
    return Given(len(call.args), names, unpacks or any(item.arg is None for item in call.keywords))


def asks(block: Block) -> tuple[Ask, ...]:
    """The parameters that must be handed over, or left out, for a branch to run."""
    if block.kind is not BlockKind.BRANCH or block.test is None:
        return ()
    return tuple(dict.fromkeys(_asks(block.test, not block.negated, block)))


def _asks(test: ast.expr, truth: bool, block: Block) -> Iterator[Ask]:
    match test:  # the most frequent first
        case ast.Compare():
            if len(test.ops) == 1 and isinstance(test.left, ast.Name) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
                if constant(test.comparators[0]) is None and _is_none_by_default(test.left, block):
                    yield test.left.id, isinstance(test.ops[0], ast.IsNot) == truth
        case ast.BoolOp() if isinstance(test.op, ast.And) == truth:
            for part in test.values:
                yield from _asks(part, truth, block)
        case ast.UnaryOp(op=ast.Not()):
            yield from _asks(test.operand, not truth, block)


def _is_none_by_default(name: ast.Name, block: Block) -> bool:
    bindings = reaching(name.id, block, position(name))
    return bool(bindings) and all(
        item.how is How.PARAMETER and item.value is not None and constant(item.value) is None for item in bindings
    )
