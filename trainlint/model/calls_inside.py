"""The calls that stand inside a block, found without a look at the rest of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.model.blocks import Block, Place
from trainlint.model.file_model import FileModel
from trainlint.model.once import once


def calls_of(file: FileModel, name: str, block: Block) -> Sequence[Place]:
    """The calls with this last name in a block and in those inside it, in source order."""
    return _by_block(file, name).get(block, ())


@once
def _by_block(file: FileModel, name: str) -> dict[Block, list[Place]]:
    found: dict[Block, list[Place]] = {}
    for place in file.outline.calls.get(name, ()):
        for outer in place.block.outwards():
            found.setdefault(outer, []).append(place)
    return found


def calls_within(file: FileModel, block: Block) -> Iterator[Place]:
    """All calls in a loop or function, and in the loops and functions inside it."""
    for holder in _holders_within(file).get(block, ()):
        yield from file.outline.calls_by_loop[holder]


@once
def _holders_within(file: FileModel) -> dict[Block, list[Block]]:
    """For each block, the loops and functions that hold calls and are it or stand inside it."""
    found: dict[Block, list[Block]] = {}
    for holder in file.outline.calls_by_loop:
        if holder is not None:
            for outer in holder.outwards():
                found.setdefault(outer, []).append(holder)
    return found
