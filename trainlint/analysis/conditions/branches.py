"""Whether two pieces of code may both run in one go, by the tests around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.around import guards_around
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import constant

RequiredTest = tuple[str, bool]
"""A test as it is written, and whether it holds. `x`, `x is not None` and `not x` are one test."""


def _required_tests(block: Block) -> frozenset[RequiredTest]:
    """What the tests around a block, inside its function, say where it runs; early exits above it included."""
    found: set[RequiredTest] = set()
    for guard in guards_around(block):
        found.update(_parts(guard.expression, guard.outcome))
    return frozenset(found)


def may_run_together(one: Block, other: Block) -> bool:
    """Whether no test says that only one of two blocks of a function can run: `if amp:` and its `else`, for one.

    Tests are compared by their text: nothing between the two may change what they ask for.
    """
    required = _required_tests(other)
    return not any((test, not holds) in required for test, holds in _required_tests(one))


def _parts(test: ast.expr, holds: bool) -> Iterator[RequiredTest]:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            yield from _parts(test.operand, not holds)
        case ast.BoolOp() if isinstance(test.op, ast.And) == holds:
            for value in test.values:
                yield from _parts(value, holds)
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]) if constant(test.comparators[0]) is None:
            yield ast.unparse(test.left), holds == isinstance(test.ops[0], ast.IsNot)
        case _:
            yield ast.unparse(test), holds


def exclude_each_other(one: Block, other: Block) -> bool:
    """Whether two blocks stand in different branches of one `if`, so that only one of them runs."""
    negated = {outer.node: outer.negated for outer in other.outwards() if outer.kind is BlockKind.BRANCH}
    return any(
        outer.kind is BlockKind.BRANCH and negated.get(outer.node, outer.negated) is not outer.negated
        for outer in one.outwards()
    )


def stands_in_else_of(one: Block, other: Block) -> bool:
    """Whether a block stands in the `else` of a test behind which another block stands."""
    tests = {guard.expression for guard in guards_around(one, everywhere=True) if not guard.outcome}
    return any(guard.outcome and guard.expression in tests for guard in guards_around(other, everywhere=True))
