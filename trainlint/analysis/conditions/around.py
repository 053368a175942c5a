"""The conditions behind which code stands, from its block out to its loop or function. Rules ask here."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.branch_bodies import follows_giving_up, gives_up
from trainlint.analysis.conditions.condition import ALWAYS, Condition, ConditionKind
from trainlint.analysis.conditions.evaluator import condition_of
from trainlint.analysis.conditions.guards import within_function
from trainlint.analysis.conditions.question import Answers
from trainlint.analysis.conditions.settings.option_defaults import Flags
from trainlint.analysis.syntax.blocks import Block, BlockKind


class Conditions:
    """Reads the conditions of one file's blocks, each once."""

    def __init__(self, flags: Flags) -> None:
        self.flags = flags
        self._known: dict[Block, Condition | None] = {}
        self._answers: Answers = {}

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
        self._answers[block.test, not block.negated, block] = found
        if block.after_exit and not block.negated:
            return found if found.rare else None  # one of several ways through an `if` leaves
        if not found.rare and gives_up(block):
            return Condition(ConditionKind.FAILURE, line, "only before giving up", rare=True)
        if found.is_unknown and follows_giving_up(block):
            return ALWAYS
        return found
