"""The call graph of all files together, and what follows from it: steps, heat, what trains, what is referred to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from weakref import proxy

from trainlint.analysis.callgraph.call_graph import CallGraph, Edge, build_call_graph
from trainlint.analysis.callgraph.modules import Modules
from trainlint.analysis.callgraph.skeleton import NOWHERE
from trainlint.analysis.frequency.heat_fact import HeatFact
from trainlint.analysis.frequency.heat_flow import FrequencyFixpoint
from trainlint.analysis.frequency.running_code import UnitPlace
from trainlint.analysis.frequency.units_apart import TOP
from trainlint.analysis.programs.steps import Steps
from trainlint.analysis.project.following import Follower
from trainlint.analysis.project.frameworks.registered import BuiltElsewhere
from trainlint.analysis.project.project_calls import Crossing, Resolver
from trainlint.analysis.project.references import References
from trainlint.analysis.project.settings.calls_by_name import CallsByName
from trainlint.analysis.project.settings.declared_options import DeclaredOptions
from trainlint.analysis.project.settings.own_choices import OwnChoices
from trainlint.analysis.project.settings.shipped_values import named_classes
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.project.things import ClassThing
from trainlint.analysis.project.trained_code import TrainedCode
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.frameworks.trainers import RUN_THE_LOOP


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
            lambda group: linked.own_choices.of(group),
        )

    @cached_property
    def own_choices(self) -> OwnChoices:
        """What the project chooses itself."""
        registered = self.follower.choices.registered.values()
        return OwnChoices(self.summaries, self.groups, self.flow, self.steps, self.calls, registered, self.shipped)

    def called_by(self, file: int, key: str) -> list[UnitPlace]:
        """What a function or branch of a file, or its top, calls as far as the call graph knows."""
        net = self.linked
        return [
            (net.file_of_function[edge.function], net.functions[edge.function].key)
            for call in self.calls_of_unit.get((file, key), ())
            for edge in net.callees.get(call, ())
        ]

    @cached_property
    def calls_of_unit(self) -> dict[UnitPlace, list[int]]:
        """Function or branch, or the top of a file → the calls in it that may run a function of the project."""
        net, found = self.linked, dict[UnitPlace, list[int]]()
        branches = [dict(summary.code.branches) for summary in self.summaries]
        for call in net.callees:
            file = net.file_of_call(call)
            first, function = net.first_block[file], net.function_of[net.call_block[call]]
            key = net.functions[function].key if function != NOWHERE else TOP
            for block in net.outwards(net.call_block[call]) if branches[file] else ():
                if net.function_of[block] != function:
                    break
                if block - first in branches[file]:
                    key = branches[file][block - first]
                    break
            found.setdefault((file, key), []).append(call)
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
        return build_call_graph(skeletons, self.options)

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
    def steps(self) -> Steps:
        """Loop kinds of the whole project."""
        return Steps(self.linked)

    @cached_property
    def flow(self) -> FrequencyFixpoint:
        """Heat of the whole project."""
        return FrequencyFixpoint(self.linked, self.steps, self.registered, is_called=self.calls.may_call)

    @cached_property
    def registered(self) -> dict[int, HeatFact]:
        """The heat of `forward` of registered modules that are built out of sight."""
        trains = {file for file, group in enumerate(self.groups) if group in self.training_groups | self.run_by_others}
        return BuiltElsewhere(self.follower, self.linked, self.numbers, trains, self.shipped).heats()

    @cached_property
    def run_by_others(self) -> set[int]:
        """The groups of files that leave the training loop to a framework."""
        return {
            group
            for summary, group in zip(self.summaries, self.groups, strict=True)
            if not summary.skeleton.is_test_file
            and any(
                fact.kind is FactKind.FRAMEWORK and fact.detail in RUN_THE_LOOP
                for facts in summary.facts.values()
                for fact in facts
            )
        }

    @cached_property
    def training_groups(self) -> set[int]:
        """The groups of files in which something takes a training step."""
        files = {self.net.file_of_call(call) for call in self.steps.step_calls()}
        return {self.groups[file] for file in files if not self.summaries[file].skeleton.is_test_file}

    @cached_property
    def training_units(self) -> dict[int, set[UnitPlace]]:
        """Group → the functions, and the tops of files, that take training steps, for `running_code`.

        A backward pass at the top of a file with no loop around it trains nothing: it shows how to use the code.
        """
        net, found = self.net, dict[int, set[UnitPlace]]()
        for call in self.steps.step_calls():
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
            for call in self.steps.step_calls()
        ]
        return {self.groups[place[0]] for place in taken if place in seen}

    @cached_property
    def trained_code(self) -> TrainedCode:
        """What training programs reach."""
        things = (thing for several in self.follower.choices.registered.values() for thing in several)
        registered = [(thing.file, thing.name) for thing in things if isinstance(thing, ClassThing)]
        return TrainedCode(self.summaries, self.linked, self.steps, self.flow, self.follower.classes, registered)

    @cached_property
    def groups_with_training_in_sight(self) -> set[int]:
        """The groups with a program that trains, and without code that is found by names that stand in no code."""
        programs = {group for group in self.references.starting if self.references.is_trained(group)}
        # A script without functions need not test `__name__`.
        programs |= {group for group, units in self.training_units.items() if any(key == TOP for _, key in units)}
        return programs - self.references.reflecting - self.references.taking_from_modules

    @cached_property
    def calls(self) -> CallsByName:
        """Which functions anything may call."""
        return CallsByName(self.net, in_sight=self.whole)

    @cached_property
    def options(self) -> list[dict[str, tuple[str, ...]]]:
        """For each file, the values that the options it asks for have by default."""
        return [self.declared_options.of(file) for file in range(len(self.summaries))]

    @cached_property
    def declared_options(self) -> DeclaredOptions:
        """The values that options have by default."""
        return DeclaredOptions(self.summaries, self.groups, self.follower.classes, self.shipped)
