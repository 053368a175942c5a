"""What must hold where code runs, and whether two pieces of code may both run in one go."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import constant

Condition = tuple[str, bool]
"""A test as it is written, and whether it holds. `x`, `x is not None` and `not x` are one test."""


def conditions(block: Block) -> frozenset[Condition]:
    """What the tests around a block, inside its function, say where it runs; early exits above it included."""
    found: set[Condition] = set()
    for outer in block.outwards():
        if outer.kind is BlockKind.FUNCTION:
            break
        if outer.kind is BlockKind.BRANCH and outer.test is not None:
            found.update(_conditions(outer.test, not outer.negated))
    return frozenset(found)


def may_run_together(one: Block, other: Block) -> bool:
    """Whether no test says that only one of two blocks of a function can run: `if amp:` and its `else`, for one.

    Tests are compared by their text: nothing between the two may change what they ask for.
    """
    told = conditions(other)
    return not any((test, not holds) in told for test, holds in conditions(one))


def _conditions(test: ast.expr, holds: bool) -> Iterator[Condition]:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            yield from _conditions(test.operand, not holds)
        case ast.BoolOp() if isinstance(test.op, ast.And) == holds:
            for value in test.values:
                yield from _conditions(value, holds)
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]) if constant(test.comparators[0]) is None:
            yield ast.unparse(test.left), holds == isinstance(test.ops[0], ast.IsNot)
        case _:
            yield ast.unparse(test), holds
