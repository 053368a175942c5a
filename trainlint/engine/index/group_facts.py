"""Links the files of each group: what the summaries of the others say of a file, as its imported facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainlint.analysis.types.imported_facts import FileStatus, ImportedFacts
from trainlint.engine.cache_keys import key_of_group
from trainlint.engine.index.project_files import largest_judged
from trainlint.engine.index.summarising import complete
from trainlint.engine.parsing import crash
from trainlint.finding import Failure

if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.engine.index.project_files import Member
    from trainlint.engine.index.summary_result import SummaryResult
    from trainlint.engine.pool.tasks import Executor


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """The imported facts of the files of one group that are judged."""

    places: tuple[int, ...] = ()
    """The files, by their places in the group."""
    facts: tuple[ImportedFacts, ...] = ()
    digests: tuple[bytes, ...] = ()
    """That of the facts of each file; empty where there is no cache."""
    failure: Failure | None = None
    """That the group could not be linked, so that each of its files is judged alone."""


def facts_of_groups(
    members: Sequence[Member], results: list[SummaryResult], executor: Executor, cache: Cache | None
) -> list[tuple[Sequence[Member], GroupFacts]]:
    """The members of each group, and what linking them gives.

    `results` are the summaries of all members. They are used up: objects take more memory than packed bytes, so a
    summary is unpacked only while its group is linked. A group whose summaries are what they were in an earlier run is
    not linked again.
    """
    groups = _groups(members)
    keys: dict[int, bytes] = {}
    known: dict[bytes, object] = {}
    if cache is not None:
        for number, group in enumerate(groups):
            digests = [results[place].digest for place in group]
            keys[number] = key_of_group([members[place] for place in group], digests, cache)
        known = cache.get({key: key for key in keys.values()})
        new = [place for number, group in enumerate(groups) if keys[number] not in known for place in group]
        complete(results, new, members, executor, cache)
    found: list[tuple[Sequence[Member], GroupFacts]] = []
    for number, group in enumerate(groups):
        of_group = [members[place] for place in group]
        facts = known.get(keys.get(number, b""))
        if not isinstance(facts, GroupFacts):
            facts = _linked(of_group, [results[place] for place in group], with_digests=cache is not None)
            if cache is not None and facts.failure is None:
                cache.keep(keys[number], facts)
        found.append((of_group, facts))
    return found


def _groups(members: Sequence[Member]) -> list[list[int]]:
    """The members by their numbers, group by group: those of one group tell those of another nothing."""
    found: dict[int, list[int]] = {}
    for number, member in enumerate(members):
        found.setdefault(member.group, []).append(number)
    return list(found.values())


def _linked(members: Sequence[Member], results: Sequence[SummaryResult], *, with_digests: bool) -> GroupFacts:
    """What linking a group gives. Where that crashes, the largest judged file stands for all in the failure."""
    try:
        return _facts(members, results, with_digests=with_digests)
    except Exception as error:  # noqa: BLE001  # a crash while linking must not keep any file from being judged
        several = f"it and the {len(members) - 1} files around it" if len(members) > 1 else "its code"
        reason = f"{several} could not be linked, so most rules judged each file alone: {crash(error)}"
        return GroupFacts(failure=Failure(largest_judged(list(members)), reason))


def _facts(members: Sequence[Member], results: Sequence[SummaryResult], *, with_digests: bool) -> GroupFacts:
    from trainlint.analysis.project.linking import link  # with the model, of which a file alone may need little

    found = [
        (place, member, summary)
        for place, (member, result) in enumerate(zip(members, results, strict=True))
        if (summary := result.take())
    ]
    linked = link(
        [summary for _, _, summary in found],
        [member.path for _, member, _ in found],
        [member.judged for _, member, _ in found],
    )
    facts = tuple(
        replace(
            facts,
            names_device=member.names_device,
            reaches_torch=member.reaches_torch,
            serves_torch=member.serves_torch,
            never_updates=member.never_updates,
            standing=member.standing or FileStatus(),
        )
        for (_, member, _), facts in zip(found, linked, strict=True)
    )
    digests: tuple[bytes, ...] = ()
    if with_digests:
        from trainlint.cache.values import value_digest

        digests = tuple(map(value_digest, facts))
    return GroupFacts(tuple(place for place, _, _ in found), facts, digests)
