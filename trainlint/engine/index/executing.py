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


_NOTHING = frozenset({"False", "None", "0", "0.0", "''"})
"""Values of options, as Python writes them, that leave them off."""


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
    linked: Sequence[Member], files: Sequence[Member], shipped: ShippedFiles | None, asked: Path | None = None
) -> ExecutedFiles:
    """Execute the files of each linked group together, and each of the `files` that takes no part in linking alone.

    `shipped` says what options scripts and configurations set. `asked` is the file whose `visits` are wanted.
    """
    from trainlint.interpreter.operations import execute_project

    operations: dict[Path, tuple[Operation, ...]] = {}
    visits: Mapping[int, Visit] = {}
    failures: dict[str, Failure] = {}
    for group in _groups(linked, files):
        root = Path(os.path.commonpath([member.path.parent for member in group]))
        by_path = {member.path.relative_to(root).as_posix(): member for member in group}
        shown = {path: member.shown for path, member in by_path.items()}
        here = next((path for path, member in by_path.items() if member.path == asked), "")
        settings = {} if shipped is None else shipped.values(list(map(_path, group)))
        done = execute_project(_trees(by_path), here, _turned_on(settings))
        for path, several in done.operations.items():
            operations[by_path[path].path] = tuple(_operation_as_shown(operation, shown) for operation in several)
        for one in done.left_out:
            failures.setdefault(one.path, Failure(shown[one.path], f"{one.sentence}; split it, or exclude the file"))
        if here:
            visits = {line: visit._replace(way=_as_shown(visit.way, shown)) for line, visit in done.visits.items()}
    return ExecutedFiles(operations, visits, tuple(failures.values()))


def _path(member: Member) -> Path:
    return member.path


def _turned_on(settings: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The options that some file sets to something."""
    return frozenset(name.rpartition("--")[2] for name, values in settings.items() if not values <= _NOTHING)


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


def _operation_as_shown(operation: Operation, shown: Mapping[str, str]) -> Operation:
    return operation._replace(chain=_as_shown(operation.chain, shown), calls=_as_shown(operation.calls, shown))


def _as_shown(links: Sequence[Link], shown: Mapping[str, str]) -> tuple[Link, ...]:
    return tuple(link._replace(path=shown[link.path]) for link in links)
