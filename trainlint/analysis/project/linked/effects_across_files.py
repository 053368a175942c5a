"""What calls do that run code of other files."""

from __future__ import annotations

from functools import cached_property

from trainlint.analysis.callgraph.skeleton import Handing
from trainlint.analysis.effects.effect import CalledFunction, Effect
from trainlint.analysis.effects.effect_flow import spread_effects
from trainlint.analysis.project.linked.network import LinkedNetwork
from trainlint.analysis.project.project_calls import Crossing
from trainlint.analysis.types.unpinnable import Unpinnable

_MOST_FUNCTIONS = 30
"""How many functions are looked at that make a loader's batches."""


class EffectsAcrossFiles:
    """The effects of all functions, by the calls that leave a file."""

    def __init__(self, network: LinkedNetwork) -> None:
        self._network = network

    @cached_property
    def effects(self) -> dict[int, tuple[Effect, ...]]:
        """What each function does when it is called, itself or through others."""
        own = {
            self._network.numbers[file][key]: function.effects
            for file, summary in enumerate(self._network.summaries)
            for key, function in summary.functions.items()
            if function.effects
        }
        return spread_effects(self._network.linked, own, {})

    def of_calls(self, out_of: list[Crossing]) -> dict[str, tuple[CalledFunction, ...]]:
        """Call that leaves a file → what the functions do that it runs."""
        found: dict[str, tuple[CalledFunction, ...]] = {}
        for crossing in out_of:
            if crossing.how is Handing.WORKER:
                continue
            number = self._network.numbers[crossing.target][crossing.function]
            effects = self.effects.get(number, ()) if crossing.how is Handing.CALLED else ()
            if effects:
                shape = self._network.net.functions[number]
                key = self._network.summaries[crossing.file].skeleton.calls[crossing.call].key
                found[key] = (*found.get(key, ()), CalledFunction(shape.qualified_name, shape.parameters, effects))
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
