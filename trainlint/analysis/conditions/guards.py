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


class Part(NamedTuple):
    """A test, or a part of one, whose outcome is known where the code runs."""

    expression: ast.expr
    holds: bool


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


def parts_around(block: Block, *, everywhere: bool = False) -> Iterator[Part]:
    """All parts of the tests around a block whose outcome is known where it runs, innermost test first."""
    for guard in guards_around(block, everywhere=everywhere):
        yield from known_parts(guard.expression, guard.outcome)


def known_parts(test: ast.expr, holds: bool) -> Iterator[Part]:
    """What a test says where it comes out so: both sides of an `and` that holds, none of one that does not."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            yield from known_parts(test.operand, not holds)
        case ast.BoolOp() if isinstance(test.op, ast.And) == holds:
            for value in test.values:
                yield from known_parts(value, holds)
        case _:
            yield Part(test, holds)
