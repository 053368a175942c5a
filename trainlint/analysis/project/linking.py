"""Lays all summaries side by side and lets heat, steps, gradient mode and values flow between files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from weakref import proxy

from trainlint.analysis.callgraph.call_graph import CallGraph, Edge, build_call_graph
from trainlint.analysis.callgraph.modules import Modules
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.conditions.settings.switches import OFF
from trainlint.analysis.effects.effect import CalledFunction, Effect, EffectKind
from trainlint.analysis.effects.effect_flow import spread_effects
from trainlint.analysis.effects.given.device_moves import copied_by_calls
from trainlint.analysis.frequency.call_sites import hot_calls, leaves_file
from trainlint.analysis.frequency.heat_fact import UNKNOWN_HEAT, HeatFact
from trainlint.analysis.frequency.heat_flow import FrequencyFixpoint
from trainlint.analysis.frequency.running_code import UnitPlace
from trainlint.analysis.frequency.units_apart import TOP
from trainlint.analysis.programs.grad_mode import functions_off
from trainlint.analysis.programs.loader_uses import LoaderUse
from trainlint.analysis.programs.loop_facts import LocatedFact, LoopFacts
from trainlint.analysis.programs.steps import LoopKind, Steps
from trainlint.analysis.project.following import Follower
from trainlint.analysis.project.frameworks.registered import BuiltElsewhere
from trainlint.analysis.project.loader_items import loader_items
from trainlint.analysis.project.project_calls import Crossing, Resolver
from trainlint.analysis.project.references import References
from trainlint.analysis.project.settings.asked_settings import AskedSettings
from trainlint.analysis.project.settings.calls_by_name import CallsByName
from trainlint.analysis.project.settings.declared_options import DeclaredOptions
from trainlint.analysis.project.settings.own_choices import OwnChoices
from trainlint.analysis.project.summary import Draw, Summary
from trainlint.analysis.project.things import ClassThing, LoaderThing
from trainlint.analysis.project.told_values import ImportedValues
from trainlint.analysis.project.trained_code import TrainedCode
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.frameworks.trainers import RUN_THE_LOOP
from trainlint.analysis.types.imported_facts import ALONE, ImportedFacts
from trainlint.analysis.types.unpinnable import Unpinnable
from trainlint.finding import Heat, RelatedPlace

_MOST_FUNCTIONS = 30
"""How many functions are looked at that make a loader's batches."""
_AGAIN = frozenset({Heat.EPOCH, Heat.RARE, Heat.STEP, Heat.INNER, Heat.EVAL_STEP})
_ONLY_ONCE = frozenset({Heat.ONCE, Heat.UNKNOWN})
_STEPS: dict[LoopKind | None, EffectKind] = {LoopKind.STEP: EffectKind.STEPS, LoopKind.EPOCH: EffectKind.TRAINS}


def link(
    summaries: Sequence[Summary],
    paths: Sequence[PurePath],
    groups: Sequence[int],
    asked: Sequence[bool] | None = None,
    *,
    whole: bool = True,
    shipped: Mapping[str, frozenset[str]] | None = None,
) -> list[ImportedFacts]:
    """What the files tell each other, in the order of the summaries.

    `paths` are their absolute paths, `groups` say which files import each other, `asked` which files are to be told
    (all, if None), `whole` whether these are all files of their groups, `shipped` which values configurations and
    launch scripts set options to. The work is linear in the number of calls, but
    for the few rounds in which objects are followed through calls.
    """
    linked = _Linked(summaries, paths, groups, whole, shipped or {})
    found = list(linked.facts_by_file(asked or [True] * len(summaries)))
    linked.follower.release()
    return found


@dataclass(eq=False)
class _Linked:
    summaries: Sequence[Summary]
    paths: Sequence[PurePath]
    groups: Sequence[int]
    whole: bool
    shipped: Mapping[str, frozenset[str]]

    def facts_by_file(self, asked: Sequence[bool]) -> Iterator[ImportedFacts]:
        """What each file is told; nothing where nobody asks."""
        into: dict[int, dict[str, list[Edge]]] = {}
        out_of: dict[int, list[Crossing]] = {}
        for crossing, edge in zip(self.crossings, self.edges, strict=True):
            into.setdefault(crossing.target, {}).setdefault(crossing.function, []).append(edge)
            out_of.setdefault(crossing.file, []).append(crossing)
        for file in range(len(self.summaries)):
            if not asked[file]:
                yield ALONE
                continue
            edges = into.get(file, {})
            yield ImportedFacts(
                heats=self._registered_in(file) | {function: self._heat(some) for function, some in edges.items()},
                handed=self._passed_values(file, edges),
                called_at=(called_at := dict(self._called_at(file, edges))),
                ignored_at=self._ignored_at(called_at),
                leaving=self._leaving(file),
                gradients_off={function: self._gradients_off(some) for function, some in edges.items()},
                effects=self._effects_of(out_of.get(file, [])),
                forwards=self._forwards(out_of.get(file, [])),
                arguments=dict(self.values.arguments(file, edges)),
                returned=dict(self.values.returned(file, out_of.get(file, []))),
                attributes=dict(self.values.attributes(file)),
                bases=dict(self._bases(file)),
                around=dict(self._facts_around_loops(file)),
                options=self.options[file],
                answers=self.asked_settings.answers(file),
                uncalled=self.asked_settings.uncalled(file),
                unreferenced=self.references.unreferenced(file) if self.whole else (),
                unused=self.references.unused_by_scripts(file) if self.whole else (),
                unchosen=self.references.unchosen(file) if self.whole else frozenset(),
                untrained=self._untrained(file) if self.whole else (),
                loader_uses=self.loader_uses.get(file, {}),
                unpinnable=self._unpinnable(out_of.get(file, [])),
                items=dict(loader_items(self.summaries, self.follower, file)),
                saved=self._saved(file),
                old_scaler_tested=bool(self.tests_of_old_scaler.get(self.groups[file], set()) - {file}),
                always_off=self._always_off(file) if self.whole else (),
            )

    def _always_off(self, file: int) -> tuple[str, ...]:
        """The switches of a file's classes that no file of its group turns on."""
        return tuple(sorted(self.summaries[file].switches - self.turned_on[self.groups[file]]))

    @cached_property
    def turned_on(self) -> dict[int, set[str]]:
        """Group → the names under which its files pass something else than False, or which strings hold."""
        found: dict[int, set[str]] = {}
        for summary, group in zip(self.summaries, self.groups, strict=True):
            options = [name for name, values in summary.options.items() if not values <= OFF]
            found.setdefault(group, set()).update(summary.turned_on, summary.code.quoted, options)
        return found

    @cached_property
    def tests_of_old_scaler(self) -> dict[int, set[int]]:
        """Group → its files that test for the old scaler's class."""
        found: dict[int, set[int]] = {}
        for file, (summary, group) in enumerate(zip(self.summaries, self.groups, strict=True)):
            if summary.tests_old_scaler:
                found.setdefault(group, set()).add(file)
        return found

    def _saved(self, file: int) -> dict[str, bool]:
        """Of the files that a file loads, those that its group saves → whether all of that is plain."""
        saved = self.saved.get(self.groups[file], {})
        return {name: saved[name] for name in self.summaries[file].loads if name in saved}

    @cached_property
    def saved(self) -> dict[int, dict[str, bool]]:
        """Group → name of a file that it saves → whether all that it saves under this name is plain."""
        found: dict[int, dict[str, bool]] = {}
        for summary, group in zip(self.summaries, self.groups, strict=True):
            for name, plain in summary.saved.items():
                of_group = found.setdefault(group, {})
                of_group[name] = plain and of_group.get(name, True)
        return found

    @cached_property
    def follower(self) -> Follower:
        """Follows access paths."""
        return Follower(self.summaries, Modules(self.paths))

    @cached_property
    def references(self) -> References:
        """Which functions the files refer to."""
        linked = proxy(self)  # a circle would keep all summaries until the garbage collector runs
        return References(
            self.summaries,
            self.groups,
            self.follower.modules,
            self.training_groups,
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
    def values(self) -> ImportedValues:
        """The values that files are told."""
        return ImportedValues(self.summaries, self.follower)

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

    def _untrained(self, file: int) -> tuple[str, ...]:
        """The functions of a file that no training program reaches, where all calls of such a program are in sight."""
        in_sight = self.groups[file] in self.groups_with_training_in_sight and not self.references.looked_up(file)
        return self.trained_code.unreached(file) if in_sight else ()

    @cached_property
    def trained_code(self) -> TrainedCode:
        """What training programs reach."""
        things = (thing for several in self.follower.choices.registered.values() for thing in several)
        registered = [(thing.file, thing.name) for thing in things if isinstance(thing, ClassThing)]
        return TrainedCode(self.summaries, self.linked, self.steps, self.flow, self.follower.classes, registered)

    @cached_property
    def groups_with_training_in_sight(self) -> set[int]:
        """The groups with a program that trains, and without code that is found by names that stand in no code."""
        programs = self.training_groups & self.references.starting
        for call in self.steps.step_calls():
            if self.net.function_of[self.net.call_block[call]] == NOWHERE:  # a script without functions
                programs.add(self.groups[self.net.file_of_call(call)])
        return programs - self.references.reflecting - self.references.taking_from_modules

    @cached_property
    def off(self) -> list[bool]:
        """Gradient mode of all functions."""
        return functions_off(self.linked, {})

    @cached_property
    def loop_facts(self) -> LoopFacts:
        """What is used around loops."""
        return LoopFacts(self.linked, [summary.facts for summary in self.summaries])

    def _facts_around_loops(self, file: int) -> Iterator[tuple[tuple[str, bool], tuple[LocatedFact, ...]]]:
        """What the project uses around each training loop of a file, over steps or over epochs."""
        net, first = self.net, self.net.first_block[file]
        for number, shape in enumerate(self.summaries[file].skeleton.shapes):
            if shape.kind is BlockKind.LOOP and self.steps.kind(first + number) in (LoopKind.STEP, LoopKind.EPOCH):
                function = net.function_of[first + number]
                key = net.functions[function].key if function != NOWHERE else ""
                home = function if function != NOWHERE else self.loop_facts.top(file)
                for beside in (False, True):
                    yield (key, beside), self.loop_facts.around(home, beside=beside)

    @cached_property
    def loader_uses(self) -> dict[int, dict[str, tuple[LoaderUse, ...]]]:
        """File → the calls in it that build loaders → the loops of other files over these."""
        found: dict[int, dict[str, tuple[LoaderUse, ...]]] = {}
        for file, summary in enumerate(self.summaries):
            for draw in summary.draws if not summary.skeleton.is_test_file else ():
                for thing in self.follower.follow(file, draw.loader):
                    if isinstance(thing, LoaderThing) and thing.file != file:
                        uses = found.setdefault(thing.file, {})
                        uses[thing.call] = (*uses.get(thing.call, ()), self._loader_use(file, draw, thing))
        return found

    def _loader_use(self, file: int, draw: Draw, loader: LoaderThing) -> LoaderUse:
        body = self.net.first_block[file] + draw.block
        calls = self.summaries[loader.file].skeleton.calls
        built = next(call.block for call in calls if call.key == loader.call) + self.net.first_block[loader.file]
        begun = self.flow.of(self.net.parents[body]).heat
        again = begun in _AGAIN and self.flow.of(built).heat in _ONLY_ONCE
        path, shape = self.summaries[file].skeleton.path, self.net.shapes[body]
        kind, heat = self.steps.kind(body), self.flow.of(body).heat
        name = self._begun_once_by(body)
        copies = draw.copies or copied_by_calls(draw.handed, self.linked, self.net.first_call[file], self.effects)
        return LoaderUse(path, shape.line, kind, heat, again, copies, draw.changes, name)

    def _begun_once_by(self, loop: int) -> str:
        """The name of the function around a loop, where no further loop stands between the two; else empty."""
        net, function = self.net, self.net.function_of[loop]
        if function == NOWHERE:
            return ""
        inside = [block for block in net.outwards(net.parents[loop]) if net.function_of[block] == function]
        is_repeated = any(net.shapes[block].kind is BlockKind.LOOP for block in inside)
        return "" if is_repeated else net.functions[function].name

    def _registered_in(self, file: int) -> dict[str, HeatFact]:
        """Function of a file → the heat that it has because its class is registered."""
        return {
            self.net.functions[number].key: fact
            for number, fact in self.registered.items()
            if self.net.file_of_function[number] == file
        }

    def _heat(self, edges: list[Edge]) -> HeatFact:
        """The hottest use that other files make of a function."""
        return self.flow.hottest_along(edges[0].function, edges) or UNKNOWN_HEAT

    @cached_property
    def calls(self) -> CallsByName:
        """Which functions anything may call."""
        return CallsByName(self.net, in_sight=self.whole)

    @cached_property
    def asked_settings(self) -> AskedSettings:
        """What files ask of settings that other files decide."""
        return AskedSettings(self.flow, self.calls, self.numbers)

    @cached_property
    def options(self) -> list[dict[str, tuple[str, ...]]]:
        """For each file, the values that the options it asks for have by default."""
        declared = DeclaredOptions(self.summaries, self.groups, self.follower.classes, self.shipped)
        return [declared.of(file) for file in range(len(self.summaries))]

    def _passed_values(self, file: int, into: Mapping[str, list[Edge]]) -> dict[tuple[str, str, bool], tuple[str, ...]]:
        """What calls from other files give the parameters that a file's branches ask for."""
        found: dict[tuple[str, str, bool], tuple[str, ...]] = {}
        for function, name, any_call in self.asked_settings.parameters(file) if into else ():
            key = self.net.functions[function].key
            edges = (edge for edge in into.get(key, ()) if edge.how in (Handing.CALLED, Handing.RUN))
            values = [self.flow.requirements.values_along(edge, name, any_call=any_call) for edge in edges]
            if any(values):
                found[key, name, any_call] = tuple(sorted(frozenset().union(*values)))
        return found

    def _gradients_off(self, edges: list[Edge]) -> bool:
        """Whether all calls of a function from other files have autograd off."""
        callers = [
            (edge.call, self.net.function_of[self.net.call_block[edge.call]])
            for edge in edges
            if edge.how in (Handing.CALLED, Handing.RUN)
        ]
        return bool(callers) and all(
            self.net.calls[call].off or (caller != NOWHERE and self.off[caller]) for call, caller in callers
        )

    def _called_at(self, file: int, edges: Mapping[str, list[Edge]]) -> Iterator[tuple[str, tuple[RelatedPlace, ...]]]:
        """Function → the calls in other files through which it runs in each training step."""
        for function, some in edges.items():
            number = self.numbers[file][function]
            if self.flow.function(number).heat.in_step and (found := hot_calls(self.flow, number, some)):
                yield function, found

    def _ignored_at(self, called_at: Mapping[str, Sequence[RelatedPlace]]) -> dict[str, tuple[str, ...]]:
        found = {}
        for place in (place for places in called_at.values() for place in places):
            words = self.ignored.get((place.path, place.line))
            if words is not None:
                found[f"{place.path}:{place.line}"] = words
        return found

    @cached_property
    def ignored(self) -> dict[tuple[str, int], tuple[str, ...]]:
        """Path and line of each call whose statement has an ignore comment → the words of the comment."""
        return {
            (summary.skeleton.path, line): words
            for summary in self.summaries
            for line, words in summary.ignored.items()
        }

    def _leaving(self, file: int) -> tuple[int, ...]:
        """The lines with an ignore comment and a call that runs code of other files."""
        lines, first = self.summaries[file].ignored, self.net.first_call[file]
        calls = enumerate(self.summaries[file].skeleton.calls, first) if lines else ()
        found = {call.line for number, call in calls if call.line in lines and leaves_file(self.linked, number)}
        return tuple(sorted(found))

    @cached_property
    def effects(self) -> dict[int, tuple[Effect, ...]]:
        """What each function does when it is called, itself or through others."""
        own = {
            self.numbers[file][key]: function.effects
            for file, summary in enumerate(self.summaries)
            for key, function in summary.functions.items()
            if function.effects
        }
        return spread_effects(self.linked, own, {})

    def _effects_of(self, out_of: list[Crossing]) -> dict[str, tuple[CalledFunction, ...]]:
        """Call that leaves a file → what the functions do that it runs."""
        found: dict[str, tuple[CalledFunction, ...]] = {}
        for crossing in out_of:
            if crossing.how is Handing.WORKER:
                continue
            number = self.numbers[crossing.target][crossing.function]
            effects = self.effects.get(number, ()) if crossing.how is Handing.CALLED else ()
            step = _STEPS.get(self.steps.summary(number))
            if step is not None:
                effects = (Effect(step), *effects)
            if effects:
                shape = self.net.functions[number]
                key = self.summaries[crossing.file].skeleton.calls[crossing.call].key
                found[key] = (*found.get(key, ()), CalledFunction(shape.qualified_name, shape.parameters, effects))
        return found

    def _unpinnable(self, out_of: list[Crossing]) -> dict[str, tuple[Unpinnable, ...]]:
        """Call that builds a loader → what functions of other files put into its batches that cannot be pinned."""
        found: dict[str, tuple[Unpinnable, ...]] = {}
        for crossing in out_of:
            if crossing.how is Handing.WORKER:
                made = self._made_by(self.numbers[crossing.target][crossing.function])
                key = self.summaries[crossing.file].skeleton.calls[crossing.call].key
                if made:
                    found[key] = (*found.get(key, ()), *made)
        return found

    def _made_by(self, function: int) -> tuple[Unpinnable, ...]:
        """What a function makes, or one that it calls at any distance, that cannot be pinned."""
        net = self.linked
        found: dict[Unpinnable, None] = {}
        seen, waiting = {function}, [function]
        while waiting and len(seen) < _MOST_FUNCTIONS:
            number = waiting.pop()
            file, key = net.file_of_function[number], net.functions[number].key
            found |= dict.fromkeys(self.summaries[file].unpinnable.get(key, ()))
            called = {edge.function for call in self.calls_of.get((file, number), ()) for edge in net.callees[call]}
            waiting += sorted(called - seen)
            seen |= called
        return tuple(found)

    def _forwards(self, out_of: list[Crossing]) -> dict[str, bool]:
        """Call that runs the forward of another file → whether that, or one of several, takes gradients itself."""
        found: dict[str, bool] = {}
        for crossing in out_of:
            number = self.numbers[crossing.target][crossing.function]
            if crossing.how is Handing.CALLED and self.net.functions[number].qualified_name.endswith(".forward"):
                key = self.summaries[crossing.file].skeleton.calls[crossing.call].key
                takes = any(item.kind is EffectKind.DIFFERENTIATES for item in self.effects.get(number, ()))
                found[key] = found.get(key, False) or takes
        return found

    def _bases(self, file: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name in self.summaries[file].classes:
            if len(self.follower.classes.ancestry(file, name)) > 1:
                yield name, self.follower.classes.base_names(file, name)
