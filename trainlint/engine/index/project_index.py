"""The project index of a run: which files take part, in which groups, and what the others say of each.

Files that are not to be judged may take part, too: what they call is known, and nothing else is said of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.pool.tasks import Executor, LocalExecutor
from trainlint.finding import Failure

if TYPE_CHECKING:
    from trainlint.analysis.types.imported_facts import ImportedFacts
    from trainlint.cache.cache import Cache
    from trainlint.engine.index.link_memory import LinkMemory
    from trainlint.engine.index.project_files import Member, ProjectFiles


@dataclass(frozen=True, slots=True)
class ProjectIndex:
    """What linking the files of a run with each other and with their context files found out."""

    members: tuple[Member, ...] = ()
    """The files that take part, in their stable order, each with its group."""
    imported_facts: Mapping[Path, ImportedFacts] = field(default_factory=dict)
    """What the other files say of a file. A file that takes no part has no entry."""
    digests: Mapping[Path, bytes] = field(default_factory=dict)
    """Digests of imported facts, as far as the cache knows them."""
    alone: frozenset[Path] = frozenset()
    """Files of the run with training code that take no part, since no other file has to do with them."""
    failures: tuple[Failure, ...] = ()
    given_up: frozenset[Path] = frozenset()
    """Files that took too long or ended their process: they are not tried again. A failure names those of the run."""

    may_train: bool = True
    """Whether some file, judged or not, may update parameters. False only where all of them were looked at."""

    sought_modules: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    """Directory and module that was looked for in it, as no file in sight is that module → whether it may be there."""

    is_partial: bool = False
    """Whether files of too large a project took no part that belong to the files of the run."""

    @property
    def context_files(self) -> int:
        """How many files take part that are not judged."""
        return sum(not member.judged for member in self.members)


def build_index(
    files: ProjectFiles,
    executor: Executor | None = None,
    cache: Cache | None = None,
    memory: LinkMemory | None = None,
) -> ProjectIndex:
    """Link the files of a run. Where none of them can hold a finding, no file is looked at.

    The `executor` summarises every file that the cache does not know, and keeps models for judging where there is
    room. A process that links the same files again and again hands in the `memory` of what it found out before.
    """
    if not files.may_hold_findings:
        return ProjectIndex(may_train=False)
    try:
        return _linked(files, executor or LocalExecutor(), cache, memory)
    except Exception as error:  # noqa: BLE001  # a crash while linking must not keep any file from being judged
        reason = f"its files could not be linked ({type(error).__name__}: {error}), so each was judged alone"
        failure = Failure(files.members[0].shown, f"{reason}; please report this")
        return ProjectIndex(alone=frozenset(member.path for member in files.members), failures=(failure,))


def _linked(files: ProjectFiles, executor: Executor, cache: Cache | None, memory: LinkMemory | None) -> ProjectIndex:
    from trainlint.engine.index.participants import find_participants

    participants = find_participants(files, cache, memory)
    members = participants.members
    if not members:
        return ProjectIndex(
            imported_facts=participants.unlinked,
            alone=participants.alone,
            may_train=participants.may_train,
            sought_modules=participants.sought_modules,
        )
    from trainlint.engine.index.group_facts import facts_of_groups
    from trainlint.engine.index.summarising import summarise_all

    imported = {**participants.unlinked} | {member.path: member.known_early for member in members}
    digests: dict[Path, bytes] = {}
    if memory is None:
        results = summarise_all(members, executor, cache)
        groups = facts_of_groups(members, results, executor, cache)
    else:
        results = memory.summarise(members, executor, cache)
        groups = memory.facts_of_groups(members, results, executor)
    failures = [result.failure for result in results if result.failure]
    for group, found in groups:
        paths = [group[place].path for place in found.places]
        imported |= zip(paths, found.facts, strict=True)
        digests |= zip(paths, found.digests, strict=False)  # there are none without a cache
        if found.failure is not None:
            failures.append(found.failure)
    return ProjectIndex(
        members,
        imported,
        digests,
        alone=participants.alone,
        failures=tuple(failures),
        given_up=frozenset(member.path for member, result in zip(members, results, strict=True) if result.given_up),
        may_train=participants.may_train,
        sought_modules=participants.sought_modules,
        is_partial=participants.is_partial,
    )
