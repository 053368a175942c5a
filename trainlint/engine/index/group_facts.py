"""Links the files of each group: what the summaries of the others say of a file, as its imported facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainlint.analysis.project.neighbours import MOST_BYTES
from trainlint.analysis.types.imported_facts import FileStatus, ImportedFacts
from trainlint.engine.cache_keys import key_of_group
from trainlint.engine.index.project_files import largest_judged
from trainlint.engine.index.summarising import complete
from trainlint.engine.parsing import crash
from trainlint.engine.pool.tasks import Executor, LocalExecutor, TaskKind
from trainlint.engine.time_limit import TookTooLong, seconds_for_all, time_limit
from trainlint.finding import Failure

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.cache.cache import Cache
    from trainlint.engine.index.project_files import Member
    from trainlint.engine.index.summary_result import SummaryResult
    from trainlint.engine.pool.model_store import ModelStore

LARGE_RUN = 100_000_000
"""Bytes of source, from which processes are started anew before linking and before judging. Python hands little of the
memory of one stage back to the system: over 30,000 files (330 MB) linking takes 480 MB that judging cannot use."""


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


@dataclass(frozen=True, slots=True)
class _Group:
    """The task of linking one group."""

    files: tuple[tuple[Member, SummaryResult], ...]
    """The members with their summaries, which are used up."""
    with_digests: bool

    @property
    def path(self) -> Path:
        """The first of the files, which stands for them all."""
        return self.files[0][0].path

    @property
    def size(self) -> int:
        """Of all files, in bytes."""
        return sum(member.size for member, _ in self.files)

    @property
    def seconds(self) -> float:
        """How much processor time it may take."""
        return seconds_for_all((member.config.file_time_limit, member.size) for member, _ in self.files)


def facts_of_groups(
    members: Sequence[Member], results: list[SummaryResult], executor: Executor, cache: Cache | None
) -> list[tuple[Sequence[Member], GroupFacts]]:
    """The members of each group, and what linking them gives.

    `results` are the summaries of all members. They are used up: objects take twenty times the memory of packed
    bytes, so a summary is unpacked only while its group is linked. A group whose summaries are what they were in an
    earlier run is not linked again.
    """
    groups = _groups(members)
    keys = _keys(groups, members, results, cache)
    facts = _known(keys, cache)
    new = [number for number, found in enumerate(facts) if found is None]
    if cache is not None:
        complete(results, [place for number in new for place in groups[number]], members, executor, cache)
    tasks = []
    for number in new:
        of_group = tuple((members[place], results[place]) for place in groups[number])
        tasks.append(_Group(of_group, with_digests=cache is not None))
    for number, found in zip(new, _linked(tasks, executor), strict=True):
        facts[number] = found
        if cache is not None and found.failure is None:
            cache.keep(keys[number], found)
    return [([members[place] for place in group], found) for group, found in zip(groups, facts, strict=True) if found]


def _known(keys: Sequence[bytes | None], cache: Cache | None) -> list[GroupFacts | None]:
    """What the cache knows of each group."""
    if cache is None:
        return [None] * len(keys)
    known = cache.get({key: key for key in keys})
    return [found if isinstance(found := known.get(key), GroupFacts) else None for key in keys]


def _groups(members: Sequence[Member]) -> list[list[int]]:
    """The members by their numbers, group by group: those of one group tell those of another nothing."""
    found: dict[int, list[int]] = {}
    for number, member in enumerate(members):
        found.setdefault(member.group, []).append(number)
    return list(found.values())


def _keys(
    groups: Sequence[Sequence[int]], members: Sequence[Member], results: Sequence[SummaryResult], cache: Cache | None
) -> Sequence[bytes | None]:
    """The key of what linking gives, for each group; None where there is no cache."""
    if cache is None:
        return [None] * len(groups)
    return [
        key_of_group([members[place] for place in group], [results[place].digest for place in group], cache)
        for group in groups
    ]


def _linked(tasks: Sequence[_Group], executor: Executor) -> list[GroupFacts]:
    """What linking gives. A large run does this in processes of its own, which take their memory with them."""
    if sum(task.size for task in tasks) <= LARGE_RUN:
        return LocalExecutor(on_progress=executor.on_progress).run_tasks(_LINKING, tasks)
    found: list[GroupFacts] = []
    try:
        for batch in _batches(tasks):
            executor.restart()
            found += executor.run_tasks(_LINKING, batch)
    finally:
        executor.restart()
    return found


def _batches(tasks: Sequence[_Group]) -> Iterator[list[_Group]]:
    """The tasks in their order, as many at a time as one group may have bytes of source."""
    batch: list[_Group] = []
    for task in tasks:
        if batch and sum(each.size for each in [*batch, task]) > MOST_BYTES:
            yield batch
            batch = []
        batch.append(task)
    yield batch


def _link(group: _Group, store: ModelStore) -> GroupFacts:
    try:
        with time_limit(group.seconds):
            return _facts(group)
    except TookTooLong as error:
        return _failed_group(group, str(error))
    except Exception as error:  # noqa: BLE001  # a crash while linking must not keep any file from being judged
        return _failed_group(group, crash(error))


def _crashed_group(group: _Group, how: str) -> GroupFacts:
    return _failed_group(group, f"{how}; please report this")


def _failed_group(group: _Group, why: str) -> GroupFacts:
    """What stands for the facts of a group that could not be linked. Its largest judged file stands for the files."""
    shown = largest_judged([member for member, _ in group.files])
    several = f"it and the {len(group.files) - 1} files around it" if len(group.files) > 1 else "its code"
    reason = f"{several} could not be linked, so most rules judged each file alone: {why}"
    return GroupFacts(failure=Failure(shown, reason))


_LINKING = TaskKind(_link, _crashed_group, "linking files")


def _facts(group: _Group) -> GroupFacts:
    from trainlint.analysis.project.linking import link  # with the model, of which a file alone may need little

    taken = [(place, member, result.take()) for place, (member, result) in enumerate(group.files)]
    found = [(place, member, summary) for place, member, summary in taken if summary]
    del taken
    members = [member for _, member, _ in found]
    linked = link(
        [summary for _, _, summary in found],
        [member.path for member in members],
        [member.judged for member in members],
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
        for member, facts in zip(members, linked, strict=True)
    )
    digests: tuple[bytes, ...] = ()
    if group.with_digests:
        from trainlint.cache.values import value_digest

        digests = tuple(map(value_digest, facts))
    return GroupFacts(tuple(place for place, _, _ in found), facts, digests)
