"""The call graph of all files together, and what follows from it: steps, what trains, what is referred to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from weakref import proxy

from trainlint.analysis.callgraph.call_graph import CallGraph, Edge, build_call_graph
from trainlint.analysis.callgraph.modules import Modules
from trainlint.analysis.callgraph.skeleton import NOWHERE
from trainlint.analysis.frequency.code_units import TOP
from trainlint.analysis.frequency.running_code import UnitPlace
from trainlint.analysis.project.following import Follower
from trainlint.analysis.project.project_calls import Crossing, Resolver
from trainlint.analysis.project.references import References
from trainlint.analysis.project.settings.shipped_values import named_classes
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.syntax.blocks import BlockKind


@dataclass(eq=False)
class LinkedNetwork:
    """All summaries side by side, with the calls from file to file. `link` says what the fields are."""

    summaries: Sequence[Summary]
    paths: Sequence[PurePath]
    groups: Sequence[int]
    whole: bool
    shipped: Mapping[str, frozenset[str]]

    @cached_property
    def follower(self) -> Follower:
        """Follows access paths."""
        return Follower(self.summaries, Modules(self.paths), named_classes(self.shipped))

    @cached_property
    def references(self) -> References:
        """Which functions the files refer to."""
        linked = proxy(self)  # a circle would keep all summaries until the garbage collector runs
        return References(
            self.summaries,
            self.groups,
            self.follower.modules,
            self.training_units,
            lambda file, key: linked.called_by(file, key),
            self.scripts,
        )

    def called_by(self, file: int, key: str) -> list[UnitPlace]:
        """What a function of a file, or its top, calls as far as the call graph knows."""
        net = self.linked
        return [
            (net.file_of_function[edge.function], net.functions[edge.function].key)
            for call in self.calls_of_unit.get((file, key), ())
            for edge in net.callees.get(call, ())
        ]

    @cached_property
    def calls_of_unit(self) -> dict[UnitPlace, list[int]]:
        """Function, or the top of a file → the calls in it that may run a function of the project."""
        net, found = self.linked, dict[UnitPlace, list[int]]()
        for call in net.callees:
            function = net.function_of[net.call_block[call]]
            key = net.functions[function].key if function != NOWHERE else TOP
            found.setdefault((net.file_of_call(call), key), []).append(call)
        return found

    @cached_property
    def calls_of(self) -> dict[tuple[int, int], list[int]]:
        """File and function, `NOWHERE` for its top → the calls in it that may run a function of the project."""
        net, found = self.linked, dict[tuple[int, int], list[int]]()
        for call in net.callees:
            found.setdefault((net.file_of_call(call), net.function_of[net.call_block[call]]), []).append(call)
        return found

    @cached_property
    def crossings(self) -> list[Crossing]:
        """Calls from file to file. Tests and benchmarks tell nothing of the code that they call."""
        is_test_file = [summary.skeleton.is_test_file for summary in self.summaries]
        found = Resolver(self.summaries, self.follower, self.groups).resolve()
        return [item for item in found if not is_test_file[item.file] or is_test_file[item.target]]

    @cached_property
    def numbers(self) -> list[dict[str, int]]:
        """For each file, the number of each function in the network."""
        return [
            {function.key: first + number for number, function in enumerate(summary.skeleton.functions)}
            for first, summary in zip(self.net.first_function, self.summaries, strict=True)
        ]

    @cached_property
    def net(self) -> CallGraph:
        """All skeletons side by side, not yet linked."""
        skeletons = []
        for file, summary in enumerate(self.summaries):
            bases = {name: self.follower.classes.base_names(file, name) for name in summary.classes}
            skeletons.append(summary.skeleton.with_bases(bases))
        return build_call_graph(skeletons)

    @cached_property
    def linked(self) -> CallGraph:
        """The same with the calls from file to file."""
        for edge in self.edges:
            self.net.connect(edge)
        return self.net

    @cached_property
    def edges(self) -> list[Edge]:
        """The crossings, in their order, by the numbers of the network."""
        return [self._edge(crossing) for crossing in self.crossings]

    def _edge(self, crossing: Crossing) -> Edge:
        call = self.net.first_call[crossing.file] + crossing.call
        return Edge(call, self.numbers[crossing.target][crossing.function], crossing.confidence, crossing.how)

    @cached_property
    def training_calls(self) -> list[int]:
        """The calls that show by themselves that a training step is taken around them."""
        return [number for number, call in enumerate(self.net.calls) if call.proves_step]

    @cached_property
    def training_groups(self) -> set[int]:
        """The groups of files in which something takes a training step."""
        files = {self.net.file_of_call(call) for call in self.training_calls}
        return {self.groups[file] for file in files if not self.summaries[file].skeleton.is_test_file}

    @cached_property
    def training_units(self) -> dict[int, set[UnitPlace]]:
        """Group → the functions, and the tops of files, that take training steps, for `running_code`.

        A backward pass at the top of a file with no loop around it trains nothing: it shows how to use the code.
        """
        net, found = self.net, dict[int, set[UnitPlace]]()
        for call in self.training_calls:
            file, block = net.file_of_call(call), net.call_block[call]
            function = net.function_of[block]
            if function != NOWHERE:
                place = (file, net.functions[function].key)
            elif any(net.shapes[each].kind is BlockKind.LOOP for each in net.outwards(block)):
                place = (file, TOP)
            else:
                continue
            if not self.summaries[file].skeleton.is_test_file:
                found.setdefault(self.groups[file], set()).add(place)
        return found

    @cached_property
    def scripts(self) -> set[int]:
        """The groups with a file whose top takes training steps, itself or through what it calls."""
        tops = [
            (file, NOWHERE)
            for file, group in enumerate(self.groups)
            if group in self.training_groups and not self.summaries[file].skeleton.is_test_file
        ]
        waiting, seen = list(tops), set(tops)
        while waiting:
            for call in self.calls_of.get(waiting.pop(), ()):
                for edge in self.linked.callees.get(call, ()):
                    place = (self.net.file_of_function[edge.function], edge.function)
                    if place not in seen:
                        seen.add(place)
                        waiting.append(place)
        taken = [
            (self.net.file_of_call(call), self.net.function_of[self.net.call_block[call]])
            for call in self.training_calls
        ]
        return {self.groups[place[0]] for place in taken if place in seen}
