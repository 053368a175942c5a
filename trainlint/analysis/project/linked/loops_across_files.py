"""What loops over steps are told by other files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from trainlint.analysis.callgraph.skeleton import Handing
from trainlint.analysis.programs.loop_facts import LocatedFact, LoopFacts
from trainlint.analysis.project.linked.network import LinkedNetwork
from trainlint.analysis.syntax.blocks import BlockKind

_RUN_HERE = (Handing.CALLED, Handing.RUN, Handing.CLOSURE)


class LoopsAcrossFiles:
    """The loops of all files."""

    def __init__(self, network: LinkedNetwork) -> None:
        self._network = network

    @cached_property
    def _loop_facts(self) -> LoopFacts:
        """What is used around loops."""
        return LoopFacts(self._network.linked, [summary.facts for summary in self._network.summaries])

    def facts_around(self, file: int) -> Iterator[tuple[tuple[str, bool], tuple[LocatedFact, ...]]]:
        """What the project uses around the loops of a file that may train."""
        net, functions = self._network.net, len(self._network.net.functions)
        first = net.first_block[file]
        shapes = self._network.summaries[file].skeleton.shapes
        loops = (first + number for number, shape in enumerate(shapes) if shape.kind is BlockKind.LOOP)
        for home in dict.fromkeys(map(self._loop_facts.function_or_module, loops)):
            if home in self._training:
                key = net.functions[home].key if home < functions else ""
                for beside in (False, True):
                    yield (key, beside), self._loop_facts.around(home, beside=beside)

    @cached_property
    def _training(self) -> set[int]:
        """What takes training steps, itself or through what it calls."""
        net, home_of = self._network.linked, self._loop_facts.function_or_module
        waiting = [home_of(net.call_block[call]) for call in self._network.training_calls]
        found = set(waiting)
        while waiting:
            edges = net.callers.get(waiting.pop(), ())
            callers = {home_of(net.call_block[edge.call]) for edge in edges if edge.how in _RUN_HERE} - found
            found |= callers
            waiting += callers
        return found
