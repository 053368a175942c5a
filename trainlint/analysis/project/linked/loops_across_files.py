"""What loops over loaders and over steps are told by other files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from trainlint.analysis.callgraph.skeleton import NOWHERE
from trainlint.analysis.effects.given.device_moves import copied_by_calls
from trainlint.analysis.programs.loader_uses import LoaderUse
from trainlint.analysis.programs.loop_facts import LocatedFact, LoopFacts
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.project.linked.effects_across_files import EffectsAcrossFiles
from trainlint.analysis.project.linked.network import LinkedNetwork
from trainlint.analysis.project.summary import Draw
from trainlint.analysis.project.things import LoaderThing
from trainlint.analysis.syntax.blocks import BlockKind
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
        for file, summary in enumerate(self._network.summaries):
            for draw in summary.draws if not summary.skeleton.is_test_file else ():
                for thing in self._network.follower.follow(file, draw.loader):
                    if isinstance(thing, LoaderThing) and thing.file != file:
                        uses = found.setdefault(thing.file, {})
                        uses[thing.call] = (*uses.get(thing.call, ()), self._loader_use(file, draw, thing))
        return found

    def _loader_use(self, file: int, draw: Draw, loader: LoaderThing) -> LoaderUse:
        network, net = self._network, self._network.net
        body = net.first_block[file] + draw.block
        calls = network.summaries[loader.file].skeleton.calls
        built = next(call.block for call in calls if call.key == loader.call) + net.first_block[loader.file]
        begun = network.flow.of(net.parents[body]).heat
        again = begun in _AGAIN and network.flow.of(built).heat in _ONLY_ONCE
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
