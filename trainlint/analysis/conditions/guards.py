"""The tests behind which code stands. Only this package looks at them; other modules ask its questions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import Block, BlockKind


class BranchTest(NamedTuple):
    """A test behind which code stands."""

    expression: ast.expr
    outcome: bool
    """How it must come out for the code to run."""
    is_early_exit: bool
    """Whether the code is what follows `if ...: continue`, `return`, `break` or `raise`."""
    block: Block
    """The code that stands behind it."""

    @property
    def place(self) -> Block:
        """Where the test itself stands."""
        return self.block.parent or self.block


def within_function(block: Block, loop: Block | None = None) -> Iterator[Block]:
    """A block and those around it, innermost first, inside its function and inside `loop`."""
    outer: Block | None = block
    while outer is not None and outer is not loop and outer.kind is not BlockKind.FUNCTION:
        yield outer
        outer = outer.parent


def guard_of(block: Block) -> BranchTest | None:
    """The test that a block stands behind itself; None for other blocks."""
    if block.kind is not BlockKind.BRANCH or block.test is None:
        return None
    return BranchTest(block.test, not block.negated, block.after_exit, block)


def guards_around(block: Block, *, everywhere: bool = False) -> Iterator[BranchTest]:
    """The tests behind which a block stands, innermost first: those in its function, or all out to the module."""
    outer: Block | None = block
    while outer is not None and (everywhere or outer.kind is not BlockKind.FUNCTION):
        if outer.kind is BlockKind.BRANCH and outer.test is not None:
            yield BranchTest(outer.test, not outer.negated, outer.after_exit, outer)
        outer = outer.parent
