"""Links the files of each group: what the summaries of the others say of a file, as its imported facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainlint.analysis.types.imported_facts import ImportedFacts
from trainlint.engine.cache_keys import key_of_group
from trainlint.engine.index.summarising import complete

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.analysis.project.summary import Summary
    from trainlint.cache.cache import Cache
    from trainlint.engine.index.participants import Participants
    from trainlint.engine.index.project_files import Member
    from trainlint.engine.index.summary_result import SummaryResult
    from trainlint.engine.pool.tasks import Executor


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """The imported facts of the files of one group that are judged."""

    places: tuple[int, ...]
    """The files, by their places in the group."""
    facts: tuple[ImportedFacts, ...]
    digests: tuple[bytes, ...]
    """That of the facts of each file; empty where there is no cache."""


def facts_of_files(
    participants: Participants, results: list[SummaryResult], executor: Executor, cache: Cache | None
) -> Iterator[tuple[Path, ImportedFacts, bytes]]:
    """The imported facts of each file that is judged, and their digest, which is empty where there is no cache.

    `results` are the summaries of the members. They are used up group by group, so that only those of one group are
    in memory as objects. A group whose summaries are what they were in an earlier run is not linked again.
    """
    members, ambiguous = participants.members, participants.methods_elsewhere
    groups = _groups(members)
    keys: list[bytes | None] = [None] * len(groups)
    known: dict[bytes | None, GroupFacts] = {}
    if cache is not None:
        guessed = cache.key("ambiguous", *sorted(ambiguous))
        keys = [
            key_of_group([members[number] for number in group], [results[n].digest for n in group], guessed, cache)
            for group in groups
        ]
        known = {
            key: found for key, found in cache.get({key: key for key in keys}).items() if isinstance(found, GroupFacts)
        }
    for group, key in zip(groups, keys, strict=True):
        of_group = [members[number] for number in group]
        found = known.get(key)
        if found is None:
            if cache is not None:
                complete(results, group, members, executor, cache)
            summaries = [results[number].take() for number in group]
            found = _linked(of_group, summaries, ambiguous, with_digests=cache is not None)
            if cache is not None:
                cache.keep(key, found)
        digests = found.digests or (b"",) * len(found.places)
        for place, facts, digest in zip(found.places, found.facts, digests, strict=True):
            yield of_group[place].path, facts, digest


def _groups(members: Sequence[Member]) -> list[list[int]]:
    """The members by their numbers, group by group: those of one group tell those of another nothing."""
    found: dict[int, list[int]] = {}
    for number, member in enumerate(members):
        found.setdefault(member.group, []).append(number)
    return list(found.values())


def _linked(
    members: Sequence[Member], summaries: Sequence[Summary | None], ambiguous: frozenset[str], *, with_digests: bool
) -> GroupFacts:
    from trainlint.analysis.project.linking import link  # with the model, of which a file alone may need little

    found = [(place, summary) for place, summary in enumerate(summaries) if summary]
    linked = link(
        [_without_guesses(summary, ambiguous) for _, summary in found],
        [members[place].path for place, _ in found],
        [members[place].group for place, _ in found],
        [members[place].judged for place, _ in found],
    )
    facts = tuple(
        replace(facts, names_device=members[place].names_device)
        for (place, _), facts in zip(found, linked, strict=True)
    )
    digests: tuple[bytes, ...] = ()
    if with_digests:
        from trainlint.cache.values import mark

        digests = tuple(map(mark, facts))
    return GroupFacts(tuple(place for place, _ in found), facts, digests)


def _without_guesses(summary: Summary, ambiguous: frozenset[str]) -> Summary:
    """No call is linked by the mere name of a method where files that were left out have methods of that name."""
    if not any(call.method in ambiguous for call in summary.calls):
        return summary
    calls = (replace(call, method="") if call.method in ambiguous else call for call in summary.calls)
    return replace(summary, calls=tuple(calls))
