"""Lays all summaries side by side and lets steps, gradient mode and values flow between files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from trainlint.analysis.callgraph.call_graph import Edge
from trainlint.analysis.project.linked.calls_from_outside import CallsFromOutside
from trainlint.analysis.project.linked.effects_across_files import EffectsAcrossFiles
from trainlint.analysis.project.linked.group_traits import GroupTraits
from trainlint.analysis.project.linked.loops_across_files import LoopsAcrossFiles
from trainlint.analysis.project.linked.network import LinkedNetwork
from trainlint.analysis.project.linked.shared_names import SharedNames
from trainlint.analysis.project.loader_items import loader_items
from trainlint.analysis.project.project_calls import Crossing
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.project.told_values import ImportedValues
from trainlint.analysis.types.imported_facts import ALONE, ImportedFacts


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
    network = LinkedNetwork(summaries, paths, groups, whole, shipped or {})
    found = list(_facts_by_file(network, asked or [True] * len(summaries)))
    network.follower.release()
    return found


def _facts_by_file(network: LinkedNetwork, asked: Sequence[bool]) -> Iterator[ImportedFacts]:
    """What each file is told; nothing where nobody asks."""
    into: dict[int, dict[str, list[Edge]]] = {}
    out_of: dict[int, list[Crossing]] = {}
    for crossing, edge in zip(network.crossings, network.edges, strict=True):
        into.setdefault(crossing.target, {}).setdefault(crossing.function, []).append(edge)
        out_of.setdefault(crossing.file, []).append(crossing)
    summaries, follower, references, whole = network.summaries, network.follower, network.references, network.whole
    outside = CallsFromOutside(network)
    effects = EffectsAcrossFiles(network)
    loops = LoopsAcrossFiles(network)
    values = ImportedValues(summaries, follower)
    traits = GroupTraits(summaries, network.groups)
    shared = SharedNames(summaries, follower.modules)
    for file in range(len(summaries)):
        if not asked[file]:
            yield ALONE
            continue
        edges, leaving = into.get(file, {}), out_of.get(file, [])
        yield ImportedFacts(
            ignored_at=outside.ignored_at(file),
            leaving=outside.leaving(file),
            gradients_off={function: outside.gradients_off(some) for function, some in edges.items()},
            training=effects.training(leaving),
            arguments=dict(values.arguments(file, edges)),
            returned=dict(values.returned(file, leaving)),
            attributes=dict(values.attributes(file)),
            bases=dict(_bases(network, file)),
            around=dict(loops.facts_around(file)),
            unreferenced=references.unreferenced(file) if whole else (),
            unused=references.unused_by_scripts(file) if whole else (),
            unpinnable=effects.unpinnable(leaving),
            items=dict(loader_items(summaries, follower, file)),
            old_scaler_tested=traits.tests_old_scaler_elsewhere(file),
            taken_names=shared.taken(file),
            starred_anew=shared.starred_anew(file),
            default_device_set=traits.sets_default_device(file),
            assigned_names=traits.assigned_names(file),
        )


def _bases(network: LinkedNetwork, file: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    classes = network.follower.classes
    for name in network.summaries[file].classes:
        if len(classes.ancestry(file, name)) > 1:
            yield name, classes.base_names(file, name)
