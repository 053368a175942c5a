"""Which files take part in linking: those of the run, and context files near them.

Decided by what a few searches in each file's bytes show, before anything is parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from trainlint.analysis.project.glance import Glance, glance
from trainlint.analysis.types.imported_facts import FileStatus, ImportedFacts
from trainlint.engine.index.import_graph import GlancedFile, ImportGraph
from trainlint.engine.index.project_files import Member, ProjectFiles
from trainlint.engine.read import may_hold_findings, names_torch, read_code
from trainlint.source import UnreadableSource

if TYPE_CHECKING:
    from trainlint.cache.cache import Cache


@dataclass(frozen=True, slots=True)
class Participants:
    """The files that take part, and what must be known of those that do not."""

    members: tuple[Member, ...] = ()
    """In their stable order, each with its group."""
    is_partial: bool = False
    """Whether files were left out since a project is too large."""
    groups: int = 0
    """The numbers of groups are below this."""
    may_train: bool = False
    """Whether some file, of the run or of its context, may update parameters."""
    alone: frozenset[Path] = frozenset()
    """Files of the run that train and have no other to be linked with."""
    unlinked: Mapping[Path, ImportedFacts] = field(default_factory=dict)
    """What the imports of all files say of each that has no other to be linked with, where it is worth saying."""
    sought_modules: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    """Directory and module that was looked for in it, as no file in sight is that module → whether it may be there."""

    def joined(self, other: Participants) -> Participants:
        """Those of this project and of another one, which tell each other nothing."""
        return Participants(
            (*self.members, *(replace(member, group=member.group + self.groups) for member in other.members)),
            is_partial=self.is_partial or other.is_partial,
            groups=self.groups + other.groups,
            may_train=self.may_train or other.may_train,
            alone=self.alone | other.alone,
            unlinked={**self.unlinked, **other.unlinked},
            sought_modules={**self.sought_modules, **other.sought_modules},
        )


class GlanceMemory(Protocol):
    """What a process that links again and again keeps of files on disk."""

    def known_glances(self, paths: Sequence[Path]) -> dict[Path, Glance]:
        """Those of the files of which is known what they show at a glance."""

    def keep_glance(self, path: Path, glance: Glance) -> None:
        """Keep what a file shows at a glance."""


def find_participants(
    files: ProjectFiles, cache: Cache | None = None, memory: GlanceMemory | None = None
) -> Participants:
    """The files that may tell each other something: those that train or import one that does.

    Of the context files, those of the groups of files of the run that may hold a finding. Each project is looked at
    by itself. Files that the memory or the cache knows are not read.
    """
    by_root: dict[Path, list[GlancedFile]] = {}
    for file in sorted(_glanced(files, cache, memory), key=lambda file: file.shown):
        by_root.setdefault(files.root_of(file.path), []).append(file)
    found = Participants()
    for root, of_project in by_root.items():
        found = found.joined(_of_project(ImportGraph(of_project), files, root))
    return replace(found, members=tuple(sorted(found.members, key=lambda member: member.shown)))


def _of_project(graph: ImportGraph, files: ProjectFiles, root: Path) -> Participants:
    of_run = {member.path: member for member in files.members}
    context, is_whole = _context(graph, of_run)
    members = tuple(_members(graph, files, of_run, context))
    is_cut = bool(members) and files.is_cut(root)
    return Participants(
        members,
        is_partial=is_cut or not is_whole,
        groups=len(graph.files),
        may_train=any(file.glance.program.updates and file.glance.telling for file in graph.files),
        alone=_alone(graph, of_run, members),
        unlinked=_unlinked(graph),
        sought_modules=graph.sought_modules,
    )


def _glanced(files: ProjectFiles, cache: Cache | None, memory: GlanceMemory | None) -> Iterator[GlancedFile]:
    """The files of the run and the context files, without those that cannot be read."""
    on_disk = [member.path for member in files.members if member.text is None]
    on_disk += [target.path for target in files.context]
    known: dict[Path, Glance] = {} if memory is None else memory.known_glances(on_disk)
    keys: dict[Path, bytes | None] = {}
    if cache is not None:
        keys, found = _in_cache([path for path in on_disk if path not in known], cache)
        known |= found
    of_disk = frozenset(on_disk)
    for path, shown, read in _readers(files):
        glanced = known[path] if path in known else _glance_at(read)
        if glanced is not None:
            if cache is not None and path not in known:
                cache.keep(keys.get(path), glanced, path)
            if memory is not None and path in of_disk:
                memory.keep_glance(path, glanced)
            yield GlancedFile(path, shown, glanced)


def _in_cache(paths: Sequence[Path], cache: Cache) -> tuple[dict[Path, bytes | None], dict[Path, Glance]]:
    """The keys of the glances at some files, and those of the glances that the cache has."""
    if not paths:
        return {}, {}
    cache.contents.look(map(str, paths))
    keys = {path: cache.key_of_file("glance", path) for path in paths}
    return keys, cache.get(keys)


def _readers(files: ProjectFiles) -> Iterator[tuple[Path, str, Callable[[], bytes]]]:
    for member in files.members:
        yield member.path, member.shown, member.data
    for target in files.context:
        yield target.path, target.shown, partial(read_code, target.path)


def _glance_at(read: Callable[[], bytes]) -> Glance | None:
    try:
        data = read()
    except UnreadableSource:
        return None  # judging it says so
    return glance(
        data,
        telling=may_hold_findings(data),
        names_torch=names_torch(data),
    )


def _members(
    graph: ImportGraph, files: ProjectFiles, of_run: Mapping[Path, Member], context: set[int]
) -> Iterator[Member]:
    size_of = Counter(graph.group_of)
    for number, file in enumerate(graph.files):
        group = graph.group_of[number]
        if not graph.telling[number] or size_of[group] == 1:
            continue
        member = of_run.get(file.path)
        if member is None and number in context:
            config = files.config_of(file.path)
            if config is not None:
                member = Member(file.path, file.shown, file.glance.size, config, judged=False)
        if member is not None:
            yield replace(
                member,
                group=group,
                names_device=group in graph.groups_with_device,
                never_updates=graph.never_updates[number],
                standing=graph.file_statuses[number],
                reaches_torch=any(graph.leads_to_torch[target] for target in graph.imports[number]),
                serves_torch=number in graph.serving_torch,
            )


def _alone(graph: ImportGraph, of_run: Mapping[Path, Member], members: Sequence[Member]) -> frozenset[Path]:
    """The files of the run that train and are no members."""
    taken = {member.path for member in members}
    training = (file.path for file, telling in zip(graph.files, graph.telling, strict=True) if telling)
    return frozenset(path for path in training if path in of_run and path not in taken)


def _context(graph: ImportGraph, of_run: Mapping[Path, Member]) -> tuple[set[int], bool]:
    """The context files that are linked with files of the run, and whether these are all that belong to them."""
    numbered = list(enumerate(graph.files))
    others = {number: file.glance.size for number, file in numbered if file.path not in of_run}
    named = [number for number, file in numbered if file.path in of_run and graph.telling[number]]
    if not others or not named:
        return set(), True
    return graph.context(named, others, size=sum(graph.files[number].glance.size for number in named))


def _unlinked(graph: ImportGraph) -> dict[Path, ImportedFacts]:
    """What is said of files by all files together: nobody runs them, their programs run as one process, they are copies
    of others' code, or the project loads weights or pins no memory.
    """
    pairs = zip(graph.files, graph.file_statuses, strict=True)
    return {file.path: ImportedFacts(standing=standing) for file, standing in pairs if standing != FileStatus()}
