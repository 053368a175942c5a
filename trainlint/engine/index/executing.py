"""Runs the files of each group abstractly, but for the groups of which nothing has changed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trainlint.engine.index.project_files import largest_judged
from trainlint.engine.parsing import crash, parse
from trainlint.engine.time_limit import TookTooLong, seconds_for_all, time_limit
from trainlint.finding import NOTHING_EXECUTED, Failure
from trainlint.project import package_parent, project_around
from trainlint.source import SourceFile, UnreadableSource

if TYPE_CHECKING:
    import ast

    from trainlint.cache.cache import Cache
    from trainlint.engine.index.project_files import Member
    from trainlint.engine.index.shipped_files import ShippedFiles
    from trainlint.finding import Frequencies, RelatedPlace
    from trainlint.interpreter.machine.events import Link
    from trainlint.interpreter.operations import Executed, Operation
    from trainlint.source import SourceFile


Trees = Mapping["SourceFile", "ast.Module | Failure"]
"""The trees of some texts, or why they have none."""


@dataclass(frozen=True, slots=True)
class ExecutedGroup:
    """What the abstract run of the files of one group gave. Paths in it are those that users see."""

    operations: Mapping[str, tuple[Operation, ...]]
    """What each file executes in training steps, by its path in the group. Files without any are left out."""
    frequencies: Mapping[str, Frequencies] = field(default_factory=dict)
    """How often the statements of each file are executed."""
    failures: tuple[Failure, ...] = ()
    """What was not executed: one for each file of which something exceeds a limit, or one for the group."""


class Group(NamedTuple):
    """Files that are executed together: those that can be read."""

    members: Mapping[str, Member]
    """By their paths below the directory of their project, as in all that follows."""
    sources: Mapping[str, SourceFile]
    turned_on: frozenset[str]
    """Options that configurations and launch scripts turn on."""

    @property
    def premises(self) -> tuple[object, ...]:
        """All that its run depends on."""
        return self.sources, self.turned_on, self.declared

    @property
    def declared(self) -> tuple[frozenset[str], frozenset[str]]:
        """The functions of which a configuration says that they run in each step, and those that do not."""
        configs = [member.config for member in self.members.values()]
        return frozenset(name for each in configs for name in each.hot), frozenset(
            name for each in configs for name in each.cold
        )

    @property
    def first(self) -> Path | None:
        """The first of the files, which stands for them all."""
        return next((self.members[path].path for path in self.sources), None)

    @property
    def seconds(self) -> float:
        """How much processor time it may take."""
        members = self.members.values()
        return seconds_for_all((member.config.file_time_limit, member.size) for member in members)


@dataclass(frozen=True, slots=True)
class ExecutedFiles:
    """What the abstract run of some files gave. Paths in operations are those that users see."""

    operations: Mapping[Path, tuple[Operation, ...]] = field(default_factory=dict)
    """What each file executes in training steps. Files without any are left out."""
    frequencies: Mapping[Path, Frequencies] = field(default_factory=dict)
    """How often the statements of each file are executed."""
    failures: Sequence[Failure] = ()
    """What was not executed, as for groups."""


@dataclass(eq=False)
class RunMemory:
    """What a process keeps that executes the same files again and again: their trees, and what each group gave."""

    interruptible: Callable[[], AbstractContextManager[None]] = nullcontext
    """Put around each run. Whatever is raised there leaves the memory in order."""
    files: dict[Path, SourceFile] = field(default_factory=dict)
    """What files on disk held when they were read."""
    keeps_trees: bool = True
    trees: dict[SourceFile, ast.Module | Failure] = field(default_factory=dict)
    """Those that it has parsed, where it keeps them."""
    groups: dict[Path | None, tuple[Group, ExecutedGroup]] = field(default_factory=dict)
    """Each group and what it gave, by the first of its files."""

    def source(self, member: Member) -> SourceFile:
        """The text of a file, as it was when it was read first. Raises UnreadableSource."""
        if member.text is not None:
            return member.text
        if member.path not in self.files:
            self.files[member.path] = member.source()
        return self.files[member.path]

    def executed(self, group: Group, trees: Trees) -> ExecutedGroup:
        """Execute a group, or recall what it gave. `trees` are some that others have parsed."""
        known = self.groups.get(group.first)
        if known is not None and known[0].premises == group.premises:
            return known[1]
        with self.interruptible():
            done = execute_group(group, self.trees if self.keeps_trees else dict(trees))[0]
        self.groups[group.first] = (group, done)
        return done

    def forget_files(self, unchanged: Container[Path]) -> None:
        """Read files on disk again but for those that have not changed."""
        self.files = {path: source for path, source in self.files.items() if path in unchanged}

    def keep_only(self, groups: Sequence[Group]) -> None:
        """Forget files and groups that are not among these."""
        firsts = {group.first for group in groups}
        self.groups = {first: known for first, known in self.groups.items() if first in firsts}
        present = {source for group in groups for source in group.sources.values()}
        self.files = {path: source for path, source in self.files.items() if source in present}
        self.trees = {source: tree for source, tree in self.trees.items() if source in present}


def execute_files(
    linked: Sequence[Member],
    alone: Sequence[Member],
    shipped: ShippedFiles | None = None,
    cache: Cache | None = None,
    memory: RunMemory | None = None,
    trees: Trees | None = None,
) -> ExecutedFiles:
    """Execute the files of each linked group together, and each of those that take no part in linking `alone`.

    `shipped` says which options configurations and launch scripts turn on. What the `cache` or the `memory` knows of a
    group with the same texts is not found out again. `trees` are those that linking has parsed and kept.
    """
    memory = memory or RunMemory()
    groups = groups_of(linked, alone, memory.source, shipped)
    keys = {number: _key(group, cache) for number, group in enumerate(groups)} if cache is not None else {}
    known = cache.get(keys) if cache is not None else {}
    operations: dict[Path, tuple[Operation, ...]] = {}
    frequencies: dict[Path, Frequencies] = {}
    failures: dict[str, Failure] = {}
    for number, group in enumerate(groups):
        done = known.get(number)
        if not isinstance(done, ExecutedGroup):
            done = memory.executed(group, trees or {})
            if cache is not None and all(failure.lasting for failure in done.failures):
                cache.keep(keys[number], done)
        operations.update({group.members[path].path: several for path, several in done.operations.items()})
        frequencies.update({group.members[path].path: some for path, some in done.frequencies.items()})
        failures.update({failure.path: failure for failure in done.failures})
    memory.keep_only(groups)
    return ExecutedFiles(operations, frequencies, tuple(failures.values()))


def groups_of(
    linked: Sequence[Member],
    alone: Sequence[Member],
    read: Callable[[Member], SourceFile],
    shipped: ShippedFiles | None,
) -> list[Group]:
    """The linked files by their groups, and each of the others alone."""
    groups: dict[int, list[Member]] = defaultdict(list)
    for member in linked:
        groups[member.group].append(member)
    return [_group(group, read, shipped) for group in (*groups.values(), *([member] for member in alone))]


def _group(members: Sequence[Member], read: Callable[[Member], SourceFile], shipped: ShippedFiles | None) -> Group:
    root = Path(_root(os.path.commonpath([member.path.parent for member in members])))
    by_path = {member.path.relative_to(root).as_posix(): member for member in members}
    sources: dict[str, SourceFile] = {}
    for path, member in by_path.items():
        with suppress(UnreadableSource):  # reported where the file is judged
            sources[path] = read(member)
    turned_on = frozenset[str]() if shipped is None else shipped.turned_on([member.path for member in members])
    return Group(by_path, sources, turned_on)


@lru_cache(maxsize=64)
def _root(directory: str) -> str:
    """The directory from which the paths of a group count: imports name packages, and tests lie in directories."""
    return project_around(directory) or package_parent(directory)


def _key(group: Group, cache: Cache) -> bytes:
    """Names all that the run of a group depends on."""
    facts = [
        fact
        for path, source in group.sources.items()
        for fact in (path, source.path, source.text, "" if source.cells is None else repr(source.cells))
    ]
    declared = [*map(repr, map(sorted, group.declared))]
    return cache.key("executed", *sorted(group.turned_on), "", *declared, *facts)


def execute_group(
    group: Group, trees: dict[SourceFile, ast.Module | Failure], asked: Collection[str] = ()
) -> tuple[ExecutedGroup, Executed]:
    """Execute the files of a group. `trees` are those that are known; new ones are added.

    Also gives what the run says of the files that are asked about, with paths as users see them. Raises nothing: what
    goes wrong is a failure.
    """
    try:
        with time_limit(group.seconds):
            return _executed(group, trees, asked)
    except TookTooLong as error:
        return _failed(group, str(error))
    except Exception as error:  # noqa: BLE001  # a crash must not keep any file from being judged by other rules
        return _failed(group, crash(error))


def _executed(
    group: Group, trees: dict[SourceFile, ast.Module | Failure], asked: Collection[str]
) -> tuple[ExecutedGroup, Executed]:
    from trainlint.interpreter.frequencies import frequencies_by_file
    from trainlint.interpreter.operations import execute_project
    from trainlint.interpreter.project.modules import Declared

    for source in group.sources.values():
        if source not in trees:
            trees[source] = parse(source)
    parsed = ((path, trees[source]) for path, source in group.sources.items())
    whole = [(path, tree) for path, tree in parsed if not isinstance(tree, Failure)]
    done = execute_project(whole, asked, group.turned_on, Declared(*group.declared))
    shown = partial(_as_shown, sources=group.sources)
    operations = {
        path: tuple(operation.with_links(shown) for operation in several) for path, several in done.operations.items()
    }
    failures: dict[str, Failure] = {}
    for one in done.left_out:
        failures.setdefault(one.path, Failure(group.sources[one.path].path, one.sentence, lasting=not one.error))
    frequencies = frequencies_by_file(done.visits, shown)
    for path, lines in _leading_out(operations, frequencies, group.sources).items():
        frequencies[path] = replace(frequencies.get(path, NOTHING_EXECUTED), leading_out=lines)
    return ExecutedGroup(operations, frequencies, tuple(failures.values())), done._replace(operations=operations)


def _leading_out(
    operations: Mapping[str, tuple[Operation, ...]],
    frequencies: Mapping[str, Frequencies],
    sources: Mapping[str, SourceFile],
) -> dict[str, frozenset[int]]:
    """Of each file the lines with calls through which code of other files runs in each training step."""
    path_of = {source.path: path for path, source in sources.items()}
    found: dict[str, set[int]] = {}

    def keep(path: str, calls: Iterable[Link | RelatedPlace]) -> None:
        for call in calls:
            if path_of[call.path] != path:
                found.setdefault(path_of[call.path], set()).add(call.line)

    for path, several in operations.items():
        for operation in several:
            keep(path, operation.calls)
    for path, some in frequencies.items():
        for calls in some.calls.values():
            keep(path, calls)
    return {path: frozenset(lines) for path, lines in found.items()}


def _failed(group: Group, why: str) -> tuple[ExecutedGroup, Executed]:
    from trainlint.interpreter.operations import Executed
    from trainlint.interpreter.visits import Visits

    members = list(group.members.values())
    several = f"it and the {len(members) - 1} files around it do" if len(members) > 1 else "it does"
    reason = f"what {several} in training steps is not known, and rules about that were not asked: {why}"
    return ExecutedGroup({}, failures=(Failure(largest_judged(members), reason),)), Executed({}, Visits(()), {})


def _as_shown(link: Link, sources: Mapping[str, SourceFile]) -> Link:
    """A link of the run as users see it: with its path, and its column in characters from 1."""
    source = sources[link.path]
    column = source.position(source.offset(link.line, link.column))[1] if link.column else 1
    return link._replace(path=source.path, column=column)
