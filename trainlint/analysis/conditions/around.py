"""The conditions behind which code stands, from its block out to its loop or function. Rules ask here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from trainlint.analysis.conditions.branch_bodies import follows_giving_up, gives_up
from trainlint.analysis.conditions.condition import ALWAYS, Condition, ConditionKind
from trainlint.analysis.conditions.evaluator import condition_of
from trainlint.analysis.conditions.option_defaults import Flags
from trainlint.analysis.conditions.question import Answers
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import names_in


class BranchTest(NamedTuple):
    """A test behind which code stands."""

    expression: ast.expr
    outcome: bool
    """How it must come out for the code to run."""
    is_early_exit: bool
    """Whether the code is what follows `if ...: continue`, `return`, `break` or `raise`."""
    block: Block
    """The code that stands behind it."""


@dataclass(slots=True, eq=False)
class Conditions:
    """Reads the conditions of one file's blocks, each once."""

    flags: Flags
    _known: dict[Block, Condition | None] = field(default_factory=dict)
    _answers: Answers = field(default_factory=dict)

    def of(self, block: Block) -> Condition | None:
        """The condition that a block adds to those around it; None for a block that decides nothing, such as a `with`.

        What follows an early exit is such a block, too.
        """
        if block not in self._known:
            self._known[block] = self._read(block)
        return self._known[block]

    def around(self, block: Block, loop: Block | None = None, *, early_exits: bool = True) -> tuple[Condition, ...]:
        """The conditions between a block and its function, or a loop around it, innermost first.

        With `early_exits=False`, those of `if ...: continue` and the like above it are left out.
        """
        return tuple(
            part
            for outer in within_function(block, loop)
            if (early_exits or not outer.after_exit) and (condition := self.of(outer)) is not None
            for part in condition.all
            if part.kind is not ConditionKind.ALWAYS
        )

    def of_test(self, test: ast.expr, outcome: bool, block: Block) -> Condition:
        """The condition under which a test in a block comes out as `outcome`."""
        return condition_of(test, outcome, block, self.flags, self._answers)

    def _read(self, block: Block) -> Condition | None:
        line = getattr(block.node, "lineno", 0)
        if block.kind is BlockKind.EXCEPT:
            return Condition(ConditionKind.FAILURE, line, "in an exception handler", rare=True)
        if block.kind is not BlockKind.BRANCH:
            return None
        if block.test is None:
            return Condition(ConditionKind.UNKNOWN, line, "in one case of several")
        line = block.test.lineno
        if isinstance(block.node, ast.Assert):
            return Condition(ConditionKind.FAILURE, line, "only if the assertion fails", rare=True)
        found = condition_of(block.test, not block.negated, block, self.flags, self._answers)
        if not found.rare and gives_up(block):
            return Condition(ConditionKind.FAILURE, line, "only before giving up", rare=True)
        if found.is_unknown and follows_giving_up(block):
            return ALWAYS
        return found


def within_function(block: Block, loop: Block | None = None) -> Iterator[Block]:
    """A block and those around it, innermost first, inside its function and inside `loop`."""
    for outer in block.outwards():
        if outer is loop or outer.kind is BlockKind.FUNCTION:
            return
        yield outer


def outside_branches(block: Block) -> Block:
    """The innermost block around code that is no branch, the code's own if that is none."""
    while block.kind is BlockKind.BRANCH and block.parent is not None:
        block = block.parent
    return block


def guard_of(block: Block) -> BranchTest | None:
    """The test that a block stands behind itself; None for other blocks."""
    if block.kind is not BlockKind.BRANCH or block.test is None:
        return None
    return BranchTest(block.test, not block.negated, block.after_exit, block)


def guards_around(block: Block, *, everywhere: bool = False) -> Iterator[BranchTest]:
    """The tests behind which a block stands, innermost first: those in its function, or all.

    For rules that look for a certain thing in a test, such as the value that it checks. How often code runs is told by
    `Conditions`.
    """
    for outer in block.outwards() if everywhere else within_function(block):
        guard = guard_of(outer)
        if guard is not None:
            yield guard


def mentioned_in_tests(block: Block, pattern: re.Pattern[str], *, everywhere: bool = False) -> bool:
    """Whether the text of a test around a block matches a pattern: in its function, or out to the module."""
    guards = guards_around(block, everywhere=everywhere)
    return any(bool(pattern.search(ast.unparse(guard.expression))) for guard in guards)


def names_in_tests(block: Block) -> list[str]:
    """The names in all tests around a block, out to the module."""
    return [name for guard in guards_around(block, everywhere=True) for name in names_in(guard.expression)]
