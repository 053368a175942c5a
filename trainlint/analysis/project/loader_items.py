"""What a file is told of the datasets and collate functions of its loaders that stand in other files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainlint.analysis.effects.item_code import GIVES_ITEMS
from trainlint.analysis.project.following import Follower
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.project.things import FunctionThing, ObjectThing, Thing, ValueThing
from trainlint.analysis.types.access_paths import AccessPath
from trainlint.analysis.types.item_facts import ItemFacts

_Told = tuple[ItemFacts | None, ItemFacts | None]


def loader_items(summaries: Sequence[Summary], follower: Follower, file: int) -> Iterator[tuple[str, _Told]]:
    """Call that builds a loader → what the code of its dataset and of its collate function shows; None for unknown."""
    for call, (dataset, collate) in summaries[file].loaders.items():
        found = _made_by(summaries, follower, file, dataset), _made_by(summaries, follower, file, collate)
        if found != (None, None):
            yield call, found


def _made_by(
    summaries: Sequence[Summary], follower: Follower, file: int, paths: tuple[AccessPath, ...]
) -> ItemFacts | None:
    """What is known of a dataset or a collate function, whichever of several it is; None where one is not known."""
    things = [thing for thing in follower.follow(file, paths) if not isinstance(thing, ValueThing)]
    found = [_facts(summaries, thing) for thing in things]
    known = [facts for facts in found if facts is not None]
    if not known or len(known) < len(found):
        return None
    return ItemFacts(
        device=any(facts.device for facts in known),
        sparse=any(facts.sparse for facts in known),
        ready=all(facts.ready for facts in known),
    )


def _facts(summaries: Sequence[Summary], thing: Thing) -> ItemFacts | None:
    if isinstance(thing, FunctionThing):
        return summaries[thing.file].functions[thing.key].items
    if not isinstance(thing, ObjectThing):
        return None
    methods = summaries[thing.file].classes[thing.name].methods
    giving = next((methods[name] for name in GIVES_ITEMS if name in methods), None)
    return summaries[thing.file].functions[giving].items if giving is not None else None
