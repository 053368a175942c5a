"""Runs the files of each group abstractly."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.parsing import parse
from trainlint.finding import Failure
from trainlint.source import UnreadableSource

if TYPE_CHECKING:
    import ast

    from trainlint.engine.index.project_files import Member
    from trainlint.engine.index.shipped_files import ShippedFiles
    from trainlint.interpreter.machine.events import Link
    from trainlint.interpreter.operations import Operation
    from trainlint.interpreter.visits import Visit
    from trainlint.source import SourceFile


@dataclass(frozen=True, slots=True)
class ExecutedFiles:
    """What the abstract run of some files gave. Paths in it are those that users see."""

    operations: Mapping[Path, tuple[Operation, ...]] = field(default_factory=dict)
    """What each file executes in training steps. Files without any are left out."""
    visits: Mapping[int, Visit] = field(default_factory=dict)
    """How the lines of the file that was asked about are executed."""
    failures: Sequence[Failure] = ()
    """What was not executed as it exceeds a limit: one for each file."""


def execute_files(
    linked: Sequence[Member], files: Sequence[Member], shipped: ShippedFiles, asked: Path | None = None
) -> ExecutedFiles:
    """Execute the files of each linked group together, and each of the `files` that takes no part in linking alone.

    `shipped` says which options they turn on, `asked` is the file whose `visits` are wanted.
    """
    from trainlint.interpreter.operations import execute_project

    operations: dict[Path, tuple[Operation, ...]] = {}
    visits: Mapping[int, Visit] = {}
    failures: dict[str, Failure] = {}
    for group in _groups(linked, files):
        root = Path(os.path.commonpath([member.path.parent for member in group]))
        by_path = {member.path.relative_to(root).as_posix(): member for member in group}
        shown = _Shown(by_path)
        here = next((path for path, member in by_path.items() if member.path == asked), "")
        turned_on = shipped.turned_on([member.path for member in group])
        done = execute_project(_trees(by_path), here, turned_on)
        for path, several in done.operations.items():
            operations[by_path[path].path] = tuple(map(shown.operation, several))
        for one in done.left_out:
            failures.setdefault(
                one.path, Failure(by_path[one.path].shown, f"{one.sentence}; split it, or exclude the file")
            )
        if here:
            visits = {line: visit._replace(way=shown.links(visit.way)) for line, visit in done.visits.items()}
    return ExecutedFiles(operations, visits, tuple(failures.values()))


def _groups(linked: Sequence[Member], files: Sequence[Member]) -> list[list[Member]]:
    groups: dict[int, list[Member]] = defaultdict(list)
    for member in linked:
        groups[member.group].append(member)
    taken = {member.path for member in linked}
    return [*groups.values(), *([member] for member in files if member.path not in taken)]


def _trees(members: Mapping[str, Member]) -> list[tuple[str, ast.Module]]:
    """Those of the files that can be read and parsed; the others are reported where they are judged."""
    trees = []
    for path, member in members.items():
        try:
            tree = parse(member.source())
        except UnreadableSource:
            continue
        if not isinstance(tree, Failure):
            trees.append((path, tree))
    return trees


class _Shown:
    """Turns paths of the run into those that users see, and columns of calls into characters from 1."""

    def __init__(self, members: Mapping[str, Member]) -> None:
        self._members = members
        self._sources: dict[str, SourceFile] = {}

    def operation(self, operation: Operation) -> Operation:
        use = operation.loader
        if use is not None:
            begun, again, trains = (link and self._link(link) for link in (use.begun, use.again, use.trains))
            use = use._replace(begun=begun, again=again, trains=trains)
        return operation._replace(chain=self.links(operation.chain), calls=self.links(operation.calls), loader=use)

    def links(self, links: Sequence[Link]) -> tuple[Link, ...]:
        return tuple(map(self._link, links))

    def _link(self, link: Link) -> Link:
        return link._replace(path=self._members[link.path].shown, column=self._column(link) if link.column else 1)

    def _column(self, link: Link) -> int:
        if link.path not in self._sources:
            self._sources[link.path] = self._members[link.path].source()
        source = self._sources[link.path]
        return source.position(source.offset(link.line, link.column))[1]
