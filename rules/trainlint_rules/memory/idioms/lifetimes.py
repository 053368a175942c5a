"""How long a sum or list lives, counted in rounds of the loop that fills it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.branches import is_branch
from trainlint.analysis.syntax.blocks import Block, BlockKind, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.types.backward import LEAVES, held_by

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


class Lifetime(Enum):
    """How long a sum or list lives."""

    ROUND = auto()
    """It starts anew in each round of the loop."""
    WINDOW = auto()
    """It starts anew now and then, as after each update of accumulated gradients."""
    LOOP = auto()
    """As long as the loop runs, or longer."""


def lifetime(file: SemanticModel, place: Place, holder: ast.expr, loop: Block) -> Lifetime:
    """For how long a holder keeps what a place inside the loop gives it."""
    names = set(held_by(holder)) - {LEAVES}
    if any(names & set(held_by(node.target)) for node in _loops_inside(place, loop)):
        return Lifetime.ROUND
    found = Lifetime.LOOP
    for statement, block in (item for name in names for item in _assigned(file).get(name, ())):
        if statement is not place.statement and block.within(loop):
            if _always_runs(block, loop):
                return Lifetime.ROUND
            found = Lifetime.WINDOW
    return found


@once
def _assigned(file: SemanticModel) -> dict[str, list[tuple[ast.stmt, Block]]]:
    """Where each name is assigned."""
    found: dict[str, list[tuple[ast.stmt, Block]]] = {}
    for statement, block in file.outline.block_of.items():
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for name in {name for target in targets for name in held_by(target)}:
                found.setdefault(name, []).append((statement, block))
    return found


def _always_runs(block: Block, loop: Block) -> bool:
    """Whether a block runs in each round of a loop, as far as its tests tell."""
    current: Block | None = block
    while current is not None and current is not loop:
        if current.kind in (BlockKind.EXCEPT, BlockKind.FUNCTION) or is_branch(current):
            return False
        current = current.parent
    return current is loop


def _loops_inside(place: Place, loop: Block) -> Iterator[ast.For | ast.AsyncFor]:
    """The `for` loops from the place outwards, up to and with `loop`: their targets are new in each round."""
    for block in place.block.outwards():
        if isinstance(block.node, ast.For | ast.AsyncFor):
            yield block.node
        if block is loop:
            return
