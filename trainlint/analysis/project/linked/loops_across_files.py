"""What loops over loaders and over steps are told by other files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from trainlint.analysis.callgraph.skeleton import NOWHERE, FunctionShape
from trainlint.analysis.effects.given.device_moves import copied_by_calls
from trainlint.analysis.programs.loader_uses import LoaderUse
from trainlint.analysis.programs.loop_facts import LocatedFact, LoopFacts
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.project.linked.effects_across_files import EffectsAcrossFiles
from trainlint.analysis.project.linked.loaders_reaching import loaders_reaching
from trainlint.analysis.project.linked.network import LinkedNetwork
from trainlint.analysis.project.summary import Draw
from trainlint.analysis.project.things import LoaderThing
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.tables.frameworks.hooks import LIGHTNING_CLASS, LIGHTNING_LOADERS
from trainlint.finding import Heat

_AGAIN = frozenset({Heat.EPOCH, Heat.RARE, Heat.STEP, Heat.INNER, Heat.EVAL_STEP})
_ONLY_ONCE = frozenset({Heat.ONCE, Heat.UNKNOWN})


class LoopsAcrossFiles:
    """The loops of all files."""

    def __init__(self, network: LinkedNetwork, effects: EffectsAcrossFiles) -> None:
        self._network = network
        self._effects = effects

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

    @cached_property
    def loader_uses(self) -> dict[int, dict[str, tuple[LoaderUse, ...]]]:
        """File → the calls in it that build loaders → the loops of other files over these."""
        found: dict[int, dict[str, tuple[LoaderUse, ...]]] = {}
        for loader, use in self._all_uses():
            uses = found.setdefault(loader.file, {})
            uses[loader.call] = (*uses.get(loader.call, ()), use)
        return found

    def _all_uses(self) -> Iterator[tuple[LoaderThing, LoaderUse]]:
        """Each loader with each loop, or hook, of another file that goes through it."""
        follower = self._network.follower
        for file, summary in enumerate(self._network.summaries):
            if summary.skeleton.is_test_file:
                continue
            for draw in summary.draws:
                for loader in loaders_reaching(follower, file, draw.loader):
                    if loader.file != file:
                        yield loader, self._loader_use(file, draw, loader)
            for hook in self._hooks_of_lightning(file):
                returned = summary.functions[hook.key].returned
                for loader in loaders_reaching(follower, file, returned.access_paths):
                    if loader.file != file:
                        yield loader, self._use_by_lightning(file, hook, loader)

    def _hooks_of_lightning(self, file: int) -> Iterator[FunctionShape]:
        """The hooks of a file's classes from which Lightning takes the loaders that it goes through in each epoch."""
        summary = self._network.summaries[file]
        for function in summary.skeleton.functions:
            owner = function.owner
            if owner is None or owner not in summary.classes or function.name not in LIGHTNING_LOADERS:
                continue
            if any(LIGHTNING_CLASS.search(base) for base in self._network.follower.classes.base_names(file, owner)):
                yield function

    def _use_by_lightning(self, file: int, hook: FunctionShape, loader: LoaderThing) -> LoaderUse:
        """The loop of Lightning over the loader that a hook returns. It copies all batches to the device itself."""
        skeleton, heat = self._network.summaries[file].skeleton, LIGHTNING_LOADERS[hook.name]
        kind = LoopKind.STEP if heat is Heat.STEP else LoopKind.EVAL
        again = self._is_built_once(loader)
        line = skeleton.shapes[hook.body].line
        return LoaderUse(skeleton.path, line, kind, heat, again, copies=True, framework="Lightning")

    def _is_built_once(self, loader: LoaderThing) -> bool:
        """Whether a loader is built once for the whole training, as far as is known."""
        network = self._network
        calls = network.summaries[loader.file].skeleton.calls
        built = next(call.block for call in calls if call.key == loader.call) + network.net.first_block[loader.file]
        return network.flow.of(built).heat in _ONLY_ONCE

    def _loader_use(self, file: int, draw: Draw, loader: LoaderThing) -> LoaderUse:
        network, net = self._network, self._network.net
        body = net.first_block[file] + draw.block
        begun = network.flow.of(net.parents[body]).heat
        again = begun in _AGAIN and self._is_built_once(loader)
        path, shape = network.summaries[file].skeleton.path, net.shapes[body]
        kind, heat = network.steps.kind(body), network.flow.of(body).heat
        name = self._begun_once_by(body)
        copied = copied_by_calls(draw.handed, network.linked, net.first_call[file], self._effects.effects)
        return LoaderUse(path, shape.line, kind, heat, again, draw.copies or copied, draw.changes, name)

    def _begun_once_by(self, loop: int) -> str:
        """The name of the function around a loop, where no further loop stands between the two; else empty."""
        net, function = self._network.net, self._network.net.function_of[loop]
        if function == NOWHERE:
            return ""
        inside = [block for block in net.outwards(net.parents[loop]) if net.function_of[block] == function]
        is_repeated = any(net.shapes[block].kind is BlockKind.LOOP for block in inside)
        return "" if is_repeated else net.functions[function].name
