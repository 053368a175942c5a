"""What loops over steps are told by other files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from trainlint.analysis.callgraph.skeleton import NOWHERE
from trainlint.analysis.programs.loop_facts import LocatedFact, LoopFacts
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.project.linked.network import LinkedNetwork
from trainlint.analysis.syntax.blocks import BlockKind


class LoopsAcrossFiles:
    """The loops of all files."""

    def __init__(self, network: LinkedNetwork) -> None:
        self._network = network

    @cached_property
    def _loop_facts(self) -> LoopFacts:
        """What is used around loops."""
        return LoopFacts(self._network.linked, [summary.facts for summary in self._network.summaries])

    def facts_around(self, file: int) -> Iterator[tuple[tuple[str, bool], tuple[LocatedFact, ...]]]:
        """What the project uses around each training loop of a file, over steps or over epochs."""
        net, steps = self._network.net, self._network.steps
        first = net.first_block[file]
        for number, shape in enumerate(self._network.summaries[file].skeleton.shapes):
            if shape.kind is BlockKind.LOOP and steps.kind(first + number) in (LoopKind.STEP, LoopKind.EPOCH):
                function = net.function_of[first + number]
                key = net.functions[function].key if function != NOWHERE else ""
                home = function if function != NOWHERE else self._loop_facts.top(file)
                for beside in (False, True):
                    yield (key, beside), self._loop_facts.around(home, beside=beside)
