"""The calls that stand inside a block, found without a look at the rest of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.memo import once

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def calls_of(file: SemanticModel, name: str, block: Block) -> Sequence[Place]:
    """The calls with this last name in a block and in those inside it, in source order."""
    return _by_block(file, name).get(block, ())


@once
def _by_block(file: SemanticModel, name: str) -> dict[Block, list[Place]]:
    found: dict[Block, list[Place]] = {}
    for place in file.outline.calls.get(name, ()):
        for outer in place.block.outwards():
            found.setdefault(outer, []).append(place)
    return found


def calls_within(file: SemanticModel, block: Block) -> Iterator[Place]:
    """All calls in a loop or function, and in the loops and functions inside it."""
    for holder in _holders_within(file).get(block, ()):
        yield from file.outline.calls_by_loop[holder]


@once
def _holders_within(file: SemanticModel) -> dict[Block, list[Block]]:
    """For each block, the loops and functions that hold calls and are it or stand inside it."""
    found: dict[Block, list[Block]] = {}
    for holder in file.outline.calls_by_loop:
        if holder is not None:
            for outer in holder.outwards():
                found.setdefault(outer, []).append(holder)
    return found
