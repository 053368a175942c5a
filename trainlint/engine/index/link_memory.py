"""What linking found out, kept as objects by a process that links the same files again and again.

A run has the cache for that, as packed bytes. An editor's server has no time to unpack them after each keystroke.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cache.stamps import FileRecord, Stamp
from trainlint.engine.index.executing import RunMemory
from trainlint.engine.index.group_facts import GroupFacts, facts_of_groups
from trainlint.engine.index.summarising import complete, summarise_all
from trainlint.engine.index.summary_result import SummaryResult

if TYPE_CHECKING:
    from trainlint.analysis.project.glance import Glance
    from trainlint.analysis.project.summary import Summary
    from trainlint.cache.cache import Cache
    from trainlint.engine.index.project_files import Listing, Member
    from trainlint.engine.pool.tasks import Executor

_AT_A_TIME = 8
"""So many files are summarised before others are let in: about a quarter of a second of work."""


@dataclass(frozen=True, slots=True)
class _Summarised:
    """A file as it was summarised last. A member without its group says all that the summary depends on."""

    member: Member
    summary: Summary | None


@dataclass(frozen=True, slots=True)
class _Linked:
    """A group as it was linked last."""

    members: tuple[Member, ...]
    """Without their texts, of which the summaries tell."""
    summaries: tuple[Summary | None, ...]
    facts: GroupFacts

    def holds(self, other: _Linked) -> bool:
        """Whether linking the other group gives the same."""
        return self.members == other.members and all(
            one is two for one, two in zip(self.summaries, other.summaries, strict=True)
        )


@dataclass(eq=False)
class LinkMemory:
    """What is known of the files of one project. What it says of files on disk holds until `look_again`."""

    interruptible: Callable[[], AbstractContextManager[None]] = nullcontext
    """Put around the long computations. Whatever is raised there leaves the memory in order."""
    listings: dict[Path, Listing] = field(default_factory=dict)
    """The files of each project, by its directory."""
    executed: RunMemory = field(init=False)
    """What the abstract run found out."""
    _seen: dict[Path, FileRecord | None] = field(default_factory=dict)
    _glances: dict[Path, Glance] = field(default_factory=dict)
    _summarised: dict[Path, _Summarised] = field(default_factory=dict)
    _linked: dict[Path, _Linked] = field(default_factory=dict)
    """By the first file of the group."""

    def __post_init__(self) -> None:
        self.executed = RunMemory(self.interruptible)

    def look_again(self) -> None:
        """Forget the lists of files, and what was known of files that have changed on disk since."""
        self.listings.clear()
        for path, seen in list(self._seen.items()):
            now = _seen(path)
            # As for the cache, times count only where they were clearly over when the file was looked at.
            if seen is None or now is None or now.stamp != seen.stamp or not seen.settled:
                del self._seen[path]
                self._glances.pop(path, None)
                known = self._summarised.get(path)
                if known is not None and known.member.text is None:
                    del self._summarised[path]
        self.executed.forget_files(self._seen)

    def known_glances(self, paths: Sequence[Path]) -> dict[Path, Glance]:
        """The files on disk of which is known what they show at a glance."""
        for path in paths:
            if path not in self._seen:
                self._seen[path] = _seen(path)  # before anybody reads it
        return {path: self._glances[path] for path in paths if path in self._glances}

    def keep_glance(self, path: Path, glance: Glance) -> None:
        """Keep what a file on disk shows at a glance."""
        self._glances[path] = glance

    def summarise(self, members: Sequence[Member], executor: Executor, cache: Cache | None) -> list[SummaryResult]:
        """Each file's summary. Files are summarised, or looked up in the cache, only where that is new.

        Where that takes too long there is none. Judging the file meets the same and reports it.
        """
        # Of a file that is not judged, nothing but the summary is kept.
        plain = [replace(member, group=0, judged=False) for member in members]
        new = [member for member in plain if not self._knows(member)]
        for start in range(0, len(new), _AT_A_TIME):
            with self.interruptible():
                pass
            batch = new[start : start + _AT_A_TIME]
            self._keep(batch, [member for member in batch if member.text is None], executor, cache)
            self._keep(batch, [member for member in batch if member.text is not None], executor, None)
        known = [self._summarised[member.path] for member in members]
        self._summarised = {each.member.path: each for each in known}
        return [SummaryResult(each.summary) for each in known]

    def facts_of_groups(
        self, members: Sequence[Member], results: list[SummaryResult], executor: Executor
    ) -> list[tuple[Sequence[Member], GroupFacts]]:
        """The members of each group, and what linking them gives. Only groups of which something is new are linked."""
        by_group: dict[int, list[int]] = {}
        for number, member in enumerate(members):
            by_group.setdefault(member.group, []).append(number)
        found: list[tuple[Sequence[Member], GroupFacts]] = []
        linked: dict[Path, _Linked] = {}
        for numbers in by_group.values():
            of_group = [members[number] for number in numbers]
            with self.interruptible():
                of_files = [results[number] for number in numbers]
                new = self._link(of_group, of_files, executor)
            linked[of_group[0].path] = new
            found.append((of_group, new.facts))
        self._linked = linked
        return found

    def _link(self, members: Sequence[Member], results: list[SummaryResult], executor: Executor) -> _Linked:
        new = _Linked(
            tuple(replace(member, text=None, size=0, group=0) for member in members),
            tuple(result.summary for result in results),
            GroupFacts(),
        )
        known = self._linked.get(members[0].path)
        if known is not None and known.holds(new):
            return known
        [(_, facts)] = facts_of_groups(members, results, executor, None)
        return replace(new, facts=facts)

    def _knows(self, member: Member) -> bool:
        known = self._summarised.get(member.path)
        return known is not None and known.member == member

    def _keep(
        self, batch: Sequence[Member], members: Sequence[Member], executor: Executor, cache: Cache | None
    ) -> None:
        if not members:
            return
        results = summarise_all(members, executor, cache)
        if cache is not None:
            complete(results, range(len(results)), members, executor, cache)
        for member, result in zip(members, results, strict=True):
            summary, known = result.take(), self._summarised.get(member.path)
            if known is not None and known.summary == summary:
                summary = known.summary  # so that its group need not be linked again
            self._summarised[member.path] = _Summarised(member, summary)


def _seen(path: Path) -> FileRecord | None:
    before = time.time_ns()
    try:
        return FileRecord(Stamp.of(path.stat()), before, b"")
    except OSError:
        return None
