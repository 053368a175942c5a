"""How many batches a test waits for before a step is taken: `count` in `if (i + 1) % count == 0: optimizer.step()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.accumulation import speaks_of_micro_batches


class BatchWait(NamedTuple):
    """A test inside a loop that lets code run each so many iterations only."""

    block: Block
    """The code behind it."""
    counts: tuple[ast.expr, ...]
    """The numbers of iterations that it waits for."""


def wait_around(block: Block, loop: Block) -> BatchWait | None:
    """The innermost test between a block and a loop that waits for a number of batches; None where there is none."""
    for guard in guards_around(block):
        if not guard.block.within(loop) or guard.block is loop:
            return None
        counts = tuple(batch_counts(guard.expression, guard.place))
        if counts:
            return BatchWait(guard.block, counts)
    return None


def batch_counts(test: ast.expr, block: Block) -> Iterator[ast.expr]:
    """The numbers of batches that a test waits for: `count` in `i % count == 0` and in `i - last >= accumulate`."""
    for part in nodes_in(single_value(test, block) or test):
        match part:
            case ast.BinOp(op=ast.Mod(), right=divisor) if not _is_text(part.left):
                yield divisor
            case ast.Compare(left=left, ops=[ast.GtE() | ast.Eq(), *_], comparators=[right, *_]):
                if _is_micro_count(right) and not _is_micro_count(left):
                    yield right


def _is_micro_count(node: ast.expr) -> bool:
    """Whether a plain name or attribute is called like a number of micro-batches."""
    return isinstance(node, ast.Name | ast.Attribute) and speaks_of_micro_batches(last_name(node))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(constant(node), str)
