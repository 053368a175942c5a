"""Links files of which the cache knows most: only what changed is summarised again, and its group linked again.

The keys name all that a summary and what files are told depend on. docs/cache.md tells the whole way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trainlint.analysis.types.imported_facts import ImportedFacts
from trainlint.engine.linkage import groups, outsides, summarised
from trainlint.engine.summarised import Summarised
from trainlint.engine.unchosen import unchosen
from trainlint.records import dataclass

if TYPE_CHECKING:
    from trainlint.analysis.project.summary import Summary
    from trainlint.cache.cache import Cache
    from trainlint.engine.linkage import Linkage
    from trainlint.engine.members import Member
    from trainlint.engine.pool.tasks import Executor


@dataclass(frozen=True, slots=True)
class Told:
    """What linking told files."""

    places: tuple[int, ...]
    """Which files of a group were told something, by their places in it."""
    outsides: tuple[ImportedFacts, ...]
    marks: tuple[bytes, ...]
    """What stands for each of them."""


def resummarised(members: Sequence[Member], executor: Executor, cache: Cache) -> list[Summarised]:
    """Each file's summary, or its mark alone where that is known."""
    keys = [_key_of_summary(member, cache) for member in members]
    known = cache.store.marks([key for key in keys if key is not None])
    new = [member for member, key in zip(members, keys, strict=True) if key not in known]
    cache.recalled.summaries = (len(members) - len(new), len(members))
    cache.rest()
    made = iter(summarised(new, executor))
    results: list[Summarised] = []
    for member, key in zip(members, keys, strict=True):
        if key in known:
            results.append(Summarised(mark=known[key]))
            continue
        result = next(made)
        if key is not None and result.packed is not None:
            cache.keep_packed(key, result.packed, result.mark, member.path)
        results.append(result)
    return results


def relinked(
    linkage: Linkage,
    members: Sequence[Member],
    results: list[Summarised],
    ambiguous: frozenset[str],
    executor: Executor,
    cache: Cache,
) -> None:
    """Tell the files of each group what concerns them. Where no summary of a group has changed, that is known.

    Of the other groups, summaries that are known by their marks alone are fetched into `results`.
    """
    guessed = cache.key("ambiguous", *sorted(ambiguous))
    keys = [(group, _key_of_linking(group, members, results, guessed, cache)) for group in groups(members)]
    known = {key: told for key, told in cache.get({key: key for _, key in keys}).items() if isinstance(told, Told)}
    for group, key in keys:
        party = [members[number] for number in group]
        told = known.get(key)
        if told is None:
            _fetch(group, members, results, executor, cache)
            told = _told(party, [results[number].take() for number in group], ambiguous)
            cache.keep(key, told)
        paths = [party[place].path for place in told.places]
        linkage.outsides.update(zip(paths, told.outsides, strict=True))
        linkage.marks.update(zip(paths, told.marks, strict=True))


def _told(members: Sequence[Member], summaries: Sequence[Summary | None], ambiguous: frozenset[str]) -> Told:
    from trainlint.cache.values import mark

    told = outsides(members, summaries, ambiguous)
    places = tuple(place for place, member in enumerate(members) if member.path in told)
    found = tuple(told[members[place].path] for place in places)
    return Told(places, found, tuple(mark(outside) for outside in found))


def _fetch(
    numbers: Sequence[int], members: Sequence[Member], results: list[Summarised], executor: Executor, cache: Cache
) -> None:
    """Get hold of the summaries, among some, of which only the marks are known."""
    wanted = {number: _key_of_summary(members[number], cache) for number in numbers if not results[number].is_at_hand}
    values = cache.store.values([key for key in wanted.values() if key is not None])
    for number, key in wanted.items():
        results[number] = Summarised(packed=values.get(key) if key is not None else None)
    # What another process dropped meanwhile, or what is damaged, is made once more.
    lost = [number for number in wanted if results[number].summary is None]
    if lost:
        cache.rest()
        for number, result in zip(lost, summarised([members[number] for number in lost], executor), strict=True):
            results[number] = result


def _key_of_summary(member: Member, cache: Cache) -> bytes | None:
    """None for a text that an editor sends: it changes with each keystroke."""
    if member.text is not None:
        return None
    facts = (member.shown, unchosen(member.config, verdicts=False), str(member.names_device))
    return cache.key_of_file("summary", member.path, *facts)


def _key_of_linking(
    group: Sequence[int],
    members: Sequence[Member],
    results: Sequence[Summarised],
    guessed: bytes,
    cache: Cache,
) -> bytes:
    facts: list[str | bytes] = [guessed]
    for number in group:
        member = members[number]
        facts += (str(member.path), f"{member.names_device} {member.judged}", results[number].mark)
    return cache.key("link", *facts)
