"""What stands around a block inside its function: the loop or function that decides how hot it is, and tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import NOWHERE, LoopTrait, Shape
from trainlint.analysis.conditions.arguments import BY_DEFAULT, option_in
from trainlint.analysis.conditions.settings.required_values import TRUTH, RequiredValue
from trainlint.analysis.frequency.heat_fact import HeatFact
from trainlint.analysis.programs.steps import LoopKind, Steps
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.finding import Heat

_OPTIONAL = 0.65
"""How much less sure heat is behind an option that is off by default: a run that sets it may well be slow there."""


class BlockContext(NamedTuple):
    """What stands around a block, out to the loop or the function that decides how hot it is."""

    end: int = NOWHERE
    """That loop or function; NOWHERE for the module."""
    rare: str | None = None
    """Words for a test that holds in few steps."""
    optional: str = ""
    """Words for an option that is needed, and has another value by default."""
    in_loop: bool = False
    batches: int = NOWHERE
    """A loop over batches around the block: it evaluates, unless the function is hot for another reason."""
    requires: tuple[tuple[RequiredValue, ...], ...] = ()
    """Clauses of what settings must be, as far as callers decide."""
    unknown: bool = False
    """Whether it stands behind a test of which nothing says how often it holds."""


class BlockHeat(NamedTuple):
    """How hot a block is, as far as its own function tells."""

    fact: HeatFact | None
    """Its heat, where a loop of its function decides it."""
    function: int = NOWHERE
    """Else the function whose heat decides; NOWHERE for the module."""
    context: BlockContext = BlockContext()
    """What stands between the block and that function."""


class BlockContexts:
    """Answers for the blocks of one network, each worked out once."""

    def __init__(self, net: CallGraph, steps: Steps) -> None:
        self.net = net
        self.steps = steps
        self._blocks: dict[int, BlockHeat] = {}
        self._known_contexts: tuple[dict[int, BlockContext], dict[int, BlockContext]] = ({}, {})
        self._guarding: set[int] | None = None
        self._steps: dict[int, list[int]] | None = None
        self._taken: dict[int, list[int]] | None = None
        """Block → the blocks inside it that take a training step."""

    def of(self, block: int) -> BlockHeat:
        """How hot a block is, as far as its own function tells."""
        if block not in self._blocks:
            self._blocks[block] = self._work_out(block)
        return self._blocks[block]

    def _work_out(self, block: int) -> BlockHeat:
        way = self._context(block, False)
        if way.end == NOWHERE:
            return BlockHeat(None, NOWHERE, way._replace(requires=()))
        if self.net.shapes[way.end].kind is BlockKind.FUNCTION:
            return BlockHeat(None, self.net.function_of[way.end], way)
        fact = heat_behind_branch(self._loop_fact(way.end, block, way), way.optional, way.unknown)
        return BlockHeat(fact, self.net.function_of[block], way)

    def _context(self, block: int, past_loops: bool) -> BlockContext:
        """The way out of a block; `past_loops` leads out of loops that train, too, to the function around.

        It goes on from that of the block around, so that blocks may be nested a thousand deep, as those of a long row
        of early exits are.
        """
        known, path = self._known_contexts[past_loops], []
        while block != NOWHERE and block not in known:
            path.append(block)
            block = self.net.parents[block]
        way = known[block] if block != NOWHERE else BlockContext()
        for inner in reversed(path):
            way = known[inner] = self._further_in(inner, way, past_loops)
        return way

    def _further_in(self, block: int, context: BlockContext, past_loops: bool) -> BlockContext:
        """The way out of a block, by that of the block around it."""
        shape = self.net.shapes[block]
        if shape.kind is BlockKind.FUNCTION:
            return BlockContext(block)
        if shape.kind is BlockKind.LOOP:
            return self._into_loop(block, context, past_loops)
        optional = ""
        if shape.requires:
            left = tuple([clause for clause in shape.requires if not clause or not all(map(_is_option, clause))])
            context = context._replace(requires=tuple(dict.fromkeys((*left, *context.requires))))
            optional = self._optional(block, shape) if len(left) < len(shape.requires) else ""
        if (shape.words or optional or shape.unknown) and not self._guards_training(block):
            context = context._replace(
                rare=shape.words or context.rare,
                optional=optional or context.optional,
                unknown=context.unknown or bool(shape.unknown),
            )
        return context

    def _into_loop(self, block: int, context: BlockContext, past_loops: bool) -> BlockContext:
        if LoopTrait.ONCE in self.net.shapes[block].traits:
            return context
        kind = self.steps.kind(block)
        if past_loops or kind in (LoopKind.MICRO, LoopKind.OTHER):
            return context._replace(in_loop=True)
        if kind is LoopKind.EVAL:
            return self._context(self.net.parents[block], True)._replace(in_loop=True, batches=block)
        return BlockContext(block)

    def _optional(self, block: int, shape: Shape) -> str:
        """That a branch requires an option that has another value by default, in words; "" where that is not known."""
        options = self.net.options[self.net.file_of_block(block)] if self.net.options else {}
        for clause in shape.requires:
            if clause and all(_is_option(item) and not _is_met(item, options) for item in clause):
                return f"line {shape.line}: {_asked_of(clause[0])}"
        return ""

    def _loop_fact(self, loop: int, block: int, context: BlockContext) -> HeatFact:
        """What a loop that trains says of the heat of a block in it."""
        chain, rare, in_loop = (self.net.shapes[loop].words,), context.rare, context.in_loop
        if self.steps.kind(loop) is LoopKind.EPOCH:
            return HeatFact(Heat.RARE if rare else Heat.EPOCH, 0.9, (*chain, rare) if rare else chain)
        if LoopTrait.ENVIRONMENT in self.net.shapes[loop].traits and not self._beside_backward(loop, block):
            return HeatFact(Heat.UNKNOWN, 1.0, chain)
        if rare is not None:
            return HeatFact(Heat.RARE, 0.95, (*chain, rare))
        excluded = self._excluded_by_training(loop, context)
        if excluded is not None:
            return HeatFact(Heat.EVAL_STEP, 0.85, (*chain, excluded.words))
        return HeatFact(Heat.INNER if in_loop else Heat.STEP, 0.97, chain)

    def _excluded_by_training(self, loop: int, context: BlockContext) -> RequiredValue | None:
        """What a block needs of a parameter that is the opposite of what each training step of its loop needs.

        So is the `else` of `if train:` in a loop that trains or evaluates, as each call says.
        """
        if not context.requires:
            return None
        if self._taken is None:
            self._taken = {}
            for call in self.steps.step_calls():
                home = self.net.call_block[call]
                for around in self.net.outwards(home):
                    self._taken.setdefault(around, []).append(home)
        homes = self._taken.get(loop, [])
        for clause in context.requires:
            if len(clause) == 1 and homes:
                opposite = (clause[0].opposite,)
                if all(opposite in self._context(home, False).requires for home in homes):
                    return clause[0]
        return None

    def _beside_backward(self, loop: int, block: int) -> bool:
        """Whether a block stands with the backward of a loop: under the same tests, or deeper.

        Not in an episode inside it, though: a loop that steps the simulator and takes no training step.
        """
        net = self.net
        steps = self._steps_in(loop)
        for inner in net.outwards(block):
            if inner == loop:
                break
            if LoopTrait.ENVIRONMENT in net.shapes[inner].traits:
                if not any(net.within(step, inner) for step in steps):
                    return False
        return any(net.within(block, self._training_branch(step, loop)) for step in steps)

    def _steps_in(self, loop: int) -> list[int]:
        """Where, inside a loop that steps a simulator, training steps are taken."""
        if self._steps is None:
            self._steps = {}
            for call in self.steps.step_calls():
                home = self.net.call_block[call]
                for block in self.net.outwards(home):
                    if LoopTrait.ENVIRONMENT in self.net.shapes[block].traits:
                        self._steps.setdefault(block, []).append(home)
        return self._steps.get(loop, [])

    def _training_branch(self, block: int, loop: int) -> int:
        """The outermost branch between a loop and a block inside it: what the whole update stands under."""
        branch = loop
        for current in self.net.outwards(block):
            if current == loop:
                break
            if self.net.shapes[current].kind in (BlockKind.BRANCH, BlockKind.LOOP):
                branch = current
        return branch

    def _guards_training(self, block: int) -> bool:
        """A test that the backward itself stands under is part of the step."""
        if self._guarding is None:
            self._guarding = {
                block for call in self.steps.step_calls() for block in self.net.outwards(self.net.call_block[call])
            }
        return block in self._guarding


def _asked_of(item: RequiredValue) -> str:
    """What must be set otherwise than by default, as a clause."""
    if item.operator != TRUTH:
        return f"only when `{item.name}` is not left at its default"
    asked, default = ("on", "off") if item.holds else ("off", "on")
    return f"only when `{item.name}` is turned {asked} (default: {default})"


def _is_option(item: RequiredValue) -> bool:
    """Whether an option of the program decides alone, whoever calls the function."""
    name = option_in(item.value)
    return item.value.startswith(BY_DEFAULT) or (name is not None and "." not in name)


def _is_met(item: RequiredValue, options: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether an option may have the value that is required unless somebody sets it."""
    name = option_in(item.value)
    values = (item.value,) if name is None else options.get(name, ())
    return not values or any(item.met_by(value) is not False for value in values)


def heat_behind_branch(fact: HeatFact, optional: str, unknown: bool) -> HeatFact:
    """The heat behind a branch that most runs do not take, or of which nothing says how often it is taken."""
    if fact.heat is Heat.ONCE and optional and not fact.optional:
        return fact._replace(chain=(*fact.chain, optional), optional=True)
    if fact.heat in (Heat.ONCE, Heat.UNKNOWN, Heat.RARE):
        return fact
    if unknown and not fact.behind_unknown:
        fact = fact._replace(behind_unknown=True)
    if optional:
        fact = fact._replace(confidence=fact.confidence * _OPTIONAL, chain=(*fact.chain, optional), optional=True)
    return fact
