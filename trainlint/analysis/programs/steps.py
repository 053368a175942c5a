"""Which loops train, which evaluate, which count epochs, and which functions hold a step: settled over a network."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Set
from enum import Enum, auto

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing, LoopTrait
from trainlint.analysis.syntax.blocks import BlockKind

_RUN_HERE = (Handing.CALLED, Handing.RUN, Handing.CLOSURE)
_DEEPEST = 3
"""Through how many calls a loop over batches is looked for that runs what stands in a function."""
_LOOKS = 8
"""How often one function is looked at again while functions call each other in circles."""


class LoopKind(Enum):
    """What one iteration of a loop is in units of training."""

    STEP = auto()
    MICRO = auto()
    """A part of a step: micro-batches of accumulation, losses, networks."""
    EPOCH = auto()
    EVAL = auto()
    OTHER = auto()


class Steps:
    """Loop kinds and what functions hold.

    `imported_kinds` says of calls that leave the network what they run there, `in_steps` which functions calls from
    outside the network run in each step.
    """

    def __init__(
        self, net: CallGraph, imported_kinds: Mapping[int, LoopKind] | None = None, in_steps: Set[int] = frozenset()
    ) -> None:
        self.net = net
        self.imported_kinds = imported_kinds or {}
        self.in_steps = in_steps
        self._summaries: dict[int, LoopKind] = {}
        self._kinds: dict[int, LoopKind] = {}
        self._taken: list[int] | None = None
        self._settle()

    def _settle(self) -> None:
        """Raise what functions hold until nothing changes, from the proofs of a step up to their callers."""
        net = self.net
        seeds = [number for number, call in enumerate(net.calls) if call.proves_step]
        waiting = deque(dict.fromkeys(net.function_of[net.call_block[call]] for call in (*seeds, *self.imported_kinds)))
        looks: Counter[int] = Counter()
        while waiting:
            function = waiting.popleft()
            if function == NOWHERE or looks[function] >= _LOOKS:
                continue
            looks[function] += 1
            self._kinds.clear()
            held = self._loop_kind_of_body(net.body_block(function))
            if held is None or held is self._summaries.get(function):
                continue
            self._summaries[function] = held
            for edge in net.callers.get(function, []):
                if edge.how in _RUN_HERE:
                    waiting.append(net.function_of[net.call_block[edge.call]])
        self._kinds.clear()

    def summary(self, function: int) -> LoopKind | None:
        """What one call of a function is: a STEP, an EPOCH (it holds a training loop), or nothing known."""
        return self._summaries.get(function)

    def kind(self, loop: int) -> LoopKind:
        """What one iteration of a loop is."""
        if loop not in self._kinds:
            self._kinds[loop] = self._classify(loop)
        return self._kinds[loop]

    def _loop_kind_of_body(self, body: int) -> LoopKind | None:
        inside = self._kinds_in_body(body)
        if LoopKind.STEP in inside:
            return LoopKind.STEP
        return LoopKind.EPOCH if LoopKind.EPOCH in inside else None

    def _kinds_in_body(self, body: int) -> set[LoopKind]:
        """What stands directly in a loop or function: STEP for proof of a step, EPOCH for whole training loops."""
        found: set[LoopKind] = set()
        for call in self.net.calls_in.get(body, ()):
            if self.net.calls[call].proves_step:
                found.add(LoopKind.STEP)
            if call in self.imported_kinds:
                found.add(self.imported_kinds[call])
            for edge in self.net.callees.get(call, ()):
                if edge.how in _RUN_HERE and edge.function in self._summaries:
                    found.add(self._summaries[edge.function])
        for loop in self.net.loops_in.get(body, ()):
            kind = self.kind(loop)
            if kind is LoopKind.MICRO:
                found.add(LoopKind.STEP)
            elif kind in (LoopKind.STEP, LoopKind.EPOCH):
                found.add(LoopKind.EPOCH)
        return found

    def _classify(self, loop: int) -> LoopKind:
        traits = self.net.shapes[loop].traits
        if LoopTrait.COMPREHENSION in traits:
            return LoopKind.OTHER
        inside = self._kinds_in_body(loop) if LoopTrait.GRADIENTS_OFF not in traits else set()
        if LoopTrait.ONCE in traits:
            return LoopKind.MICRO if LoopKind.STEP in inside else LoopKind.OTHER
        batches = LoopTrait.BATCHES in traits
        if LoopKind.STEP in inside:
            if LoopTrait.STEPPED_BEHIND in traits and self._is_part_of_batch(self.net.parents[loop]):
                return LoopKind.MICRO
            if batches:
                return LoopKind.EVAL if LoopTrait.EXPLAINS in traits else LoopKind.STEP
            if LoopTrait.MICRO in traits:
                return LoopKind.MICRO
            return LoopKind.EPOCH if LoopTrait.FULL_BATCH in traits else LoopKind.STEP
        if LoopKind.EPOCH in inside:
            return LoopKind.EPOCH
        return LoopKind.EVAL if batches else LoopKind.OTHER

    def _is_part_of_batch(self, block: int, depth: int = 0) -> bool:
        """Whether code runs in a loop over batches, or over groups of them, wherever it is called.

        A loop there that the optimizer's step follows goes through the parts of one batch.
        """
        net = self.net
        body = net.body_of[block]
        kind = net.shapes[body].kind
        if kind is not BlockKind.FUNCTION:
            return kind is BlockKind.LOOP and (LoopTrait.BATCHES in net.shapes[body].traits or self._groups(body))
        function = net.function_of[body]
        edges = [edge for edge in net.callers.get(function, ()) if edge.how in _RUN_HERE]
        if not edges:
            return function in self.in_steps
        return depth < _DEEPEST and all(self._is_part_of_batch(net.call_block[edge.call], depth + 1) for edge in edges)

    def _groups(self, loop: int) -> bool:
        """Whether a loop iterates a generator that itself goes through batches, to yield groups of them."""
        net, around = self.net, self.net.body_of[self.net.parents[loop]]
        heads = [call for call in net.calls_in.get(around, ()) if net.calls[call].loop != NOWHERE]
        drawn = [call for call in heads if net.call_block[call] + net.calls[call].loop - net.calls[call].block == loop]
        generators = [
            edge.function
            for call in drawn
            for edge in net.callees.get(call, ())
            if net.functions[edge.function].generator
        ]
        inside = [each for function in generators for each in net.loops_in.get(net.body_block(function), ())]
        return any(LoopTrait.BATCHES in net.shapes[each].traits for each in inside)
