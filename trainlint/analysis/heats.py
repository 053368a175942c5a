"""How often the blocks and functions of one file run, by what the abstract run saw of their statements."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cached_property

from trainlint.analysis.conditions.branches import conditional_part, follows_exit
from trainlint.analysis.syntax.blocks import Block, BlockKind, Function
from trainlint.finding import (
    LEFT_OUT,
    NOTHING_EXECUTED,
    UNKNOWN_HEAT,
    Frequencies,
    Heat,
    HeatFact,
    LoopKind,
    RelatedPlace,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.analysis.syntax.outline import Outline


class Heats:
    """The answers for one file."""

    def __init__(self, outline: Outline, frequencies: Frequencies) -> None:
        self._outline = outline
        self._frequencies = frequencies
        self._known: dict[Block, HeatFact] = {}

    def of(self, block: Block) -> HeatFact:
        """How often code runs that stands directly in a block."""
        fact = self._known.get(block)
        if fact is None:
            fact = self._known[block] = self._of(block)
        return fact

    def function(self, function: Function) -> HeatFact:
        """How often the body of a function runs."""
        return self.of(function.body)

    def calls_of(self, function: Function) -> tuple[RelatedPlace, ...]:
        """The calls through which a function runs in each training step, in this file and in others, nearest first."""
        return self._frequencies.calls.get(function.node.lineno, ())

    def kind(self, node: ast.AST | Block) -> LoopKind:
        """What one iteration of a loop is in units of training, or what a call is."""
        if isinstance(node, Block):
            node = node.node
        place = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        return self._frequencies.kinds.get(place, LoopKind.OTHER)

    def trains(self, node: ast.AST) -> bool:
        """Whether a loop inside some code, or what it calls, trains."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        return any(first <= line <= last and kind.trains for (line, _), kind in self._frequencies.kinds.items())

    @property
    def any_in_step(self) -> bool:
        """Whether any code of the file runs in each training step."""
        return self._frequencies.any_in_step

    def _of(self, block: Block) -> HeatFact:
        if self._frequencies is NOTHING_EXECUTED:
            return UNKNOWN_HEAT
        statements = self._statements.get(block)
        if statements is None:
            return self._in_expression(block)
        header = getattr(block.node, "lineno", 0)
        facts = (
            self._frequencies.at(each.lineno, each.col_offset if each.lineno == header else None) for each in statements
        )
        found = next((fact for fact in facts if fact is not None), None)
        if found is not None:
            return found
        return self.of(block.parent) if follows_exit(block) and block.parent is not None else LEFT_OUT

    @cached_property
    def _statements(self) -> dict[Block, list[ast.stmt]]:
        """The statements that stand directly in each block."""
        found: dict[Block, list[ast.stmt]] = {}
        for statement, block in self._outline.block_of.items():
            found.setdefault(block, []).append(statement)
        return found

    def _in_expression(self, block: Block) -> HeatFact:
        """How often a part of an expression runs: as its statement, unless a test says less, or it is repeated."""
        assert block.parent is not None
        around = self.of(block.parent)
        if block.kind is BlockKind.LOOP and around.heat is Heat.STEP:
            return replace(around, heat=Heat.INNER)
        part = conditional_part(block)
        fact = None if part is None else self._frequencies.at(part.lineno, part.col_offset)
        return around if fact is None else fact
