"""Lays all summaries side by side and lets heat, steps, gradient mode and values flow between files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath

from trainlint.linking.calls import Crossing, Resolver
from trainlint.linking.carrying import bare
from trainlint.linking.following import MOST_CALLERS, Follower
from trainlint.linking.modules import Modules
from trainlint.linking.summary import Summary
from trainlint.linking.things import FunctionThing
from trainlint.model.blocks import BlockKind
from trainlint.model.gradients import functions_off
from trainlint.model.guarded_reads import Reader
from trainlint.model.heat_fact import UNKNOWN_HEAT, HeatFact
from trainlint.model.heat_flow import HeatFlow
from trainlint.model.loop_facts import LocatedFact, LoopFacts
from trainlint.model.network import Edge, Network, network
from trainlint.model.outside import Outside
from trainlint.model.pointers import Pointer, Start
from trainlint.model.skeleton import NOWHERE, Handing
from trainlint.model.steps import LoopKind, Steps
from trainlint.model.values import UNKNOWN, Kind, Value, merge


def link(summaries: Sequence[Summary], paths: Sequence[PurePath], groups: Sequence[int]) -> list[Outside]:
    """What the files tell each other, in the order of the summaries.

    `paths` are their absolute paths, `groups` say which files import each other. The work is linear in the
    number of calls, but for the few rounds in which objects are followed through calls.
    """
    return list(_Linked(summaries, paths, groups).outsides())


@dataclass(eq=False)
class _Linked:
    summaries: Sequence[Summary]
    paths: Sequence[PurePath]
    groups: Sequence[int]

    def outsides(self) -> Iterator[Outside]:
        """What each file is told."""
        crossings = self.crossings
        into: dict[int, list[Crossing]] = {}
        out_of: dict[int, list[Crossing]] = {}
        for crossing in crossings:
            into.setdefault(crossing.target, []).append(crossing)
            out_of.setdefault(crossing.file, []).append(crossing)
        for file in range(len(self.summaries)):
            yield Outside(
                heats=dict(self._heats(file, into.get(file, []))),
                handed=self._handed(file, into.get(file, [])),
                gradients_off=self._gradients(into.get(file, [])),
                steps=self._steps_of(out_of.get(file, [])),
                arguments=dict(self._arguments(file, into.get(file, []))),
                returned=dict(self._returned(file, out_of.get(file, []))),
                attributes=dict(self._attributes(file)),
                readers=dict(self._readers(out_of.get(file, []))),
                bases=dict(self._bases(file)),
                around=dict(self._around(file)),
                options=self._options(file),
            )

    @cached_property
    def follower(self) -> Follower:
        """Follows pointers."""
        return Follower(self.summaries, Modules(self.paths))

    @cached_property
    def crossings(self) -> list[Crossing]:
        """Calls from file to file. Tests and benchmarks tell nothing of the code that they call."""
        idle = [summary.skeleton.idle for summary in self.summaries]
        found = Resolver(self.summaries, self.follower, self.groups).resolve()
        return [item for item in found if not idle[item.file] or idle[item.target]]

    @cached_property
    def numbers(self) -> list[dict[str, int]]:
        """For each file, the number of each function in the network."""
        return [
            {function.key: first + number for number, function in enumerate(summary.skeleton.functions)}
            for first, summary in zip(self.net.first_function, self.summaries, strict=True)
        ]

    @cached_property
    def net(self) -> Network:
        """All skeletons side by side, not yet linked."""
        skeletons = []
        for file, summary in enumerate(self.summaries):
            bases = {name: self.follower.base_names(file, name) for name in summary.classes}
            known = {name: value for name, value in self._options(file).items() if value is not None}
            skeletons.append(summary.skeleton.with_bases(bases).with_options(known))
        return network(skeletons)

    @cached_property
    def linked(self) -> Network:
        """The same with the calls from file to file."""
        for crossing in self.crossings:
            self.net.connect(self._edge(crossing))
        return self.net

    def _edge(self, crossing: Crossing) -> Edge:
        call = self.net.first_call[crossing.file] + crossing.call
        return Edge(call, self.numbers[crossing.target][crossing.function], crossing.confidence, Handing.CALLED)

    @cached_property
    def steps(self) -> Steps:
        """Loop kinds of the whole project."""
        return Steps(self.linked)

    @cached_property
    def flow(self) -> HeatFlow:
        """Heat of the whole project."""
        return HeatFlow(self.linked, self.steps)

    @cached_property
    def off(self) -> list[bool]:
        """Gradient mode of all functions."""
        return functions_off(self.linked, {})

    @cached_property
    def loop_facts(self) -> LoopFacts:
        """What is used around loops."""
        return LoopFacts(self.linked, [summary.facts for summary in self.summaries])

    def _around(self, file: int) -> Iterator[tuple[tuple[str, bool], tuple[LocatedFact, ...]]]:
        """What the project uses around each training loop of a file, over steps or over epochs."""
        net, first = self.net, self.net.first_block[file]
        for number, shape in enumerate(self.summaries[file].skeleton.shapes):
            if shape.kind is BlockKind.LOOP and self.steps.kind(first + number) in (LoopKind.STEP, LoopKind.EPOCH):
                function = net.function_of[first + number]
                key = net.functions[function].key if function != NOWHERE else ""
                home = function if function != NOWHERE else self.loop_facts.top(file)
                for beside in (False, True):
                    yield (key, beside), self.loop_facts.around(home, beside=beside)

    def _heats(self, file: int, into: list[Crossing]) -> Iterator[tuple[str, HeatFact]]:
        best: dict[str, HeatFact] = {}
        for crossing in into:
            edge = self._edge(crossing)
            fact = self.flow.along(edge.function, edge) or UNKNOWN_HEAT
            known = best.get(crossing.function)
            if known is None or fact.preference > known.preference:
                best[crossing.function] = fact
        yield from best.items()

    def _handed(self, file: int, into: list[Crossing]) -> dict[tuple[str, str], frozenset[bool]]:
        """What hot calls from other files hand over of the parameters that a file's branches ask for."""
        net, first = self.net, self.net.first_block[file]
        asked: dict[str, set[str]] = {}
        for number, shape in enumerate(self.summaries[file].skeleton.shapes):
            home = net.function_of[first + number]
            if shape.asks and home != NOWHERE:
                asked.setdefault(net.functions[home].key, set()).update(name for name, _ in shape.asks)
        found: dict[tuple[str, str], set[bool]] = {}
        for crossing in into:
            if crossing.function not in asked:
                continue
            edge = self._edge(crossing)
            fact = self.flow.along(edge.function, edge)
            if edge.how is not Handing.CALLED or fact is None or not fact.heat.in_step:
                continue
            for name in sorted(asked[crossing.function]):
                hands = net.calls[edge.call].given.hands(name, net.functions[edge.function].parameters)
                found.setdefault((crossing.function, name), set()).update({True, False} if hands is None else {hands})
        return {key: frozenset(ways) for key, ways in found.items()}

    def _gradients(self, into: list[Crossing]) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for crossing in into:
            call = self.net.first_call[crossing.file] + crossing.call
            caller = self.net.function_of[self.net.call_block[call]]
            off = self.net.calls[call].off or (caller != NOWHERE and self.off[caller])
            found[crossing.function] = found.get(crossing.function, True) and off
        return found

    def _steps_of(self, out_of: list[Crossing]) -> dict[str, LoopKind]:
        found: dict[str, LoopKind] = {}
        for crossing in out_of:
            kind = self.steps.summary(self.numbers[crossing.target][crossing.function])
            key = self.summaries[crossing.file].skeleton.calls[crossing.call].key
            if kind is not None and found.get(key) is not LoopKind.STEP:
                found[key] = kind
        return found

    def _arguments(self, file: int, into: list[Crossing]) -> Iterator[tuple[tuple[str, str], Value]]:
        for function in dict.fromkeys(crossing.function for crossing in into):
            for name in self.summaries[file].functions[function].parameters:
                given = self.follower.arguments.get((file, function, name), [])
                if given and len(given) <= MOST_CALLERS:
                    itself = Pointer(Start.PARAMETER, function, name)
                    value = _given_by_most(
                        [
                            self.follower.known(source, item)
                            for source, item in given
                            if source != file or all(replace(each, path=()) != itself for each in item.pointers)
                        ]
                    )
                    if value.kind is not Kind.UNKNOWN:
                        yield (function, name), value

    def _returned(self, file: int, out_of: list[Crossing]) -> Iterator[tuple[str, Value]]:
        found: dict[str, list[Value]] = {}
        calls = {call.number: call for call in self.summaries[file].calls}
        for crossing in out_of:
            key = self.summaries[file].skeleton.calls[crossing.call].key
            if crossing.function.rpartition(".")[2].partition("#")[0] != "__init__":
                bound = self.summaries[crossing.target].functions[crossing.function].bound
                function = FunctionThing(crossing.target, crossing.function, bound)
                returned = self.follower.returned(function, file, calls[crossing.call])
                found.setdefault(key, []).append(self.follower.known(crossing.target, returned))
        for key, values in found.items():
            value = merge(values)
            if value.kind is not Kind.UNKNOWN:
                yield key, bare(value)

    def _attributes(self, file: int) -> Iterator[tuple[tuple[str, str], Value]]:
        for name in self.summaries[file].classes:
            seen = set(self.summaries[file].classes[name].attributes)
            for base in self.follower.ancestry(file, name)[1:]:
                for attribute, value in self.summaries[base.file].classes[base.name].attributes.items():
                    if attribute not in seen and base.file != file:
                        seen.add(attribute)
                        known = self.follower.known(base.file, value)
                        if known.kind is not Kind.UNKNOWN:
                            yield (name, attribute), known

    def _readers(self, out_of: list[Crossing]) -> Iterator[tuple[str, Reader]]:
        for crossing in out_of:
            reader = self.summaries[crossing.target].functions[crossing.function].reader
            if reader is not None:
                key = self.summaries[crossing.file].skeleton.calls[crossing.call].key
                yield key, reader.elsewhere(self.summaries[crossing.target].skeleton.path)

    @cached_property
    def declared(self) -> dict[int, dict[str, set[bool]]]:
        """For each group of files, what options are by default. Tests declare options of their own."""
        found: dict[int, dict[str, set[bool]]] = {}
        for summary, group in zip(self.summaries, self.groups, strict=True):
            if not summary.skeleton.idle:
                options = found.setdefault(group, {})
                for name, values in summary.options.items():
                    options.setdefault(name, set()).update(values)
        return found

    def _options(self, file: int) -> dict[str, bool | None]:
        """The defaults of the options that a file's branches ask for."""
        declared = self.declared.get(self.groups[file], {})
        asked = {name for shape in self.summaries[file].skeleton.shapes for name, _ in shape.wants}
        return {
            name: declared[name].copy().pop() if len(declared[name]) == 1 else None
            for name in sorted(asked)
            if name in declared
        }

    def _bases(self, file: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name in self.summaries[file].classes:
            if len(self.follower.ancestry(file, name)) > 1:
                yield name, self.follower.base_names(file, name)


def _given_by_most(values: list[Value]) -> Value:
    """What a parameter holds, by what most of its callers give it, as far as that is known."""
    known = [value for value in values if value.kind not in (Kind.UNKNOWN, Kind.NONE)]
    if not known:
        return UNKNOWN
    counts = Counter(value.kind for value in known)
    kind, count = max(counts.items(), key=lambda item: (item[1], item[0].name))
    return merge(value for value in known if value.kind is kind).less_sure(count / len(known))
