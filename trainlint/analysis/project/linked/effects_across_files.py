"""What calls do that run code of other files."""

from __future__ import annotations

from trainlint.analysis.callgraph.skeleton import Handing
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.project.linked.network import LinkedNetwork
from trainlint.analysis.project.project_calls import Crossing
from trainlint.analysis.types.unpinnable import Unpinnable

_MOST_FUNCTIONS = 30
"""How many functions are looked at that make a loader's batches."""
_TRAINING = (LoopKind.STEP, LoopKind.EPOCH)


class EffectsAcrossFiles:
    """What functions of other files do, by the calls that leave a file."""

    def __init__(self, network: LinkedNetwork) -> None:
        self._network = network

    def training(self, out_of: list[Crossing]) -> dict[str, LoopKind]:
        """Call that leaves a file → what the functions train that it runs: a step, or a whole loop of them."""
        found: dict[str, LoopKind] = {}
        for crossing in out_of:
            kind = self._network.steps.summary(self._network.numbers[crossing.target][crossing.function])
            key = self._network.summaries[crossing.file].skeleton.calls[crossing.call].key
            if crossing.how is not Handing.WORKER and kind in _TRAINING and found.get(key) is not LoopKind.STEP:
                found[key] = kind
        return found

    def unpinnable(self, out_of: list[Crossing]) -> dict[str, tuple[Unpinnable, ...]]:
        """Call that builds a loader → what functions of other files put into its batches that cannot be pinned."""
        found: dict[str, tuple[Unpinnable, ...]] = {}
        for crossing in out_of:
            if crossing.how is Handing.WORKER:
                made = self._made_by(self._network.numbers[crossing.target][crossing.function])
                key = self._network.summaries[crossing.file].skeleton.calls[crossing.call].key
                if made:
                    found[key] = (*found.get(key, ()), *made)
        return found

    def _made_by(self, function: int) -> tuple[Unpinnable, ...]:
        """What a function makes, or one that it calls at any distance, that cannot be pinned."""
        net = self._network.linked
        found: dict[Unpinnable, None] = {}
        seen, waiting = {function}, [function]
        while waiting and len(seen) < _MOST_FUNCTIONS:
            number = waiting.pop()
            file, key = net.file_of_function[number], net.functions[number].key
            found |= dict.fromkeys(self._network.summaries[file].unpinnable.get(key, ()))
            calls = self._network.calls_of.get((file, number), ())
            called = {edge.function for call in calls for edge in net.callees[call]}
            waiting += sorted(called - seen)
            seen |= called
        return tuple(found)
