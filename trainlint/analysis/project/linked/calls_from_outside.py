"""What the calls in other files say of a file's functions: how often they run, with what, and from where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from trainlint.analysis.callgraph.call_graph import Edge
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.frequency.call_sites import hot_calls, leaves_file
from trainlint.analysis.frequency.heat_fact import UNKNOWN_HEAT, HeatFact
from trainlint.analysis.programs.grad_mode import functions_off
from trainlint.analysis.project.linked.network import LinkedNetwork
from trainlint.analysis.project.settings.asked_settings import AskedSettings
from trainlint.finding import RelatedPlace


class CallsFromOutside:
    """The calls from file to file, by the functions that they run."""

    def __init__(self, network: LinkedNetwork, asked_settings: AskedSettings) -> None:
        self._network = network
        self._asked_settings = asked_settings

    def heats(self, file: int, edges: Mapping[str, list[Edge]]) -> dict[str, HeatFact]:
        """Function of a file → the heat that calls in other files give it, or its registration."""
        return self._registered_in(file) | {function: self._heat(some) for function, some in edges.items()}

    def _registered_in(self, file: int) -> dict[str, HeatFact]:
        """Function of a file → the heat that it has because its class is registered."""
        return {
            self._network.net.functions[number].key: fact
            for number, fact in self._network.registered.items()
            if self._network.net.file_of_function[number] == file
        }

    def _heat(self, edges: list[Edge]) -> HeatFact:
        """The hottest use that other files make of a function."""
        return self._network.flow.hottest_along(edges[0].function, edges) or UNKNOWN_HEAT

    def passed_values(self, file: int, into: Mapping[str, list[Edge]]) -> dict[tuple[str, str, bool], tuple[str, ...]]:
        """What calls from other files give the parameters that a file's branches ask for."""
        found: dict[tuple[str, str, bool], tuple[str, ...]] = {}
        for function, name, any_call in self._asked_settings.parameters(file) if into else ():
            key = self._network.net.functions[function].key
            edges = (edge for edge in into.get(key, ()) if edge.how in (Handing.CALLED, Handing.RUN))
            values = [self._network.flow.requirements.values_along(edge, name, any_call=any_call) for edge in edges]
            if any(values):
                found[key, name, any_call] = tuple(sorted(frozenset().union(*values)))
        return found

    @cached_property
    def _off(self) -> list[bool]:
        """Gradient mode of all functions."""
        return functions_off(self._network.linked, {})

    def gradients_off(self, edges: list[Edge]) -> bool:
        """Whether all calls of a function from other files have autograd off."""
        callers = [
            (edge.call, self._network.net.function_of[self._network.net.call_block[edge.call]])
            for edge in edges
            if edge.how in (Handing.CALLED, Handing.RUN)
        ]
        return bool(callers) and all(
            self._network.net.calls[call].off or (caller != NOWHERE and self._off[caller]) for call, caller in callers
        )

    def called_at(self, file: int, edges: Mapping[str, list[Edge]]) -> Iterator[tuple[str, tuple[RelatedPlace, ...]]]:
        """Function → the calls in other files through which it runs in each training step."""
        flow, numbers = self._network.flow, self._network.numbers[file]
        for function, some in edges.items():
            if flow.function(numbers[function]).heat.in_step and (found := hot_calls(flow, numbers[function], some)):
                yield function, found

    def ignored_at(self, called_at: Mapping[str, Sequence[RelatedPlace]]) -> dict[str, tuple[str, ...]]:
        """Path and line of each of these calls whose statement has an ignore comment → the words of the comment."""
        found = {}
        for place in (place for places in called_at.values() for place in places):
            words = self._ignored.get((place.path, place.line))
            if words is not None:
                found[f"{place.path}:{place.line}"] = words
        return found

    @cached_property
    def _ignored(self) -> dict[tuple[str, int], tuple[str, ...]]:
        """Path and line of each call whose statement has an ignore comment → the words of the comment."""
        return {
            (summary.skeleton.path, line): words
            for summary in self._network.summaries
            for line, words in summary.ignored.items()
        }

    def leaving(self, file: int) -> tuple[int, ...]:
        """The lines with an ignore comment and a call that runs code of other files."""
        net, lines = self._network.linked, self._network.summaries[file].ignored
        calls = enumerate(self._network.summaries[file].skeleton.calls, net.first_call[file]) if lines else ()
        found = {call.line for number, call in calls if call.line in lines and leaves_file(net, number)}
        return tuple(sorted(found))
