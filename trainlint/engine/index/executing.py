"""Runs the files of each group abstractly."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.parsing import parse
from trainlint.finding import Failure
from trainlint.source import UnreadableSource

if TYPE_CHECKING:
    from trainlint.core.operations import Operation
    from trainlint.engine.index.project_files import Member


def executed_operations(members: Sequence[Member]) -> Mapping[Path, tuple[Operation, ...]]:
    """What the abstract run of each group executes in training steps, by file. Files without any are left out."""
    from trainlint.core.operations import operations

    groups: dict[int, list[Member]] = defaultdict(list)
    for member in members:
        groups[member.group].append(member)
    found: dict[Path, tuple[Operation, ...]] = {}
    for group in groups.values():
        root = Path(os.path.commonpath([member.path.parent for member in group]))
        paths = {member.path.relative_to(root).as_posix(): member.path for member in group}
        trees = []
        for path, member in zip(paths, group, strict=True):
            try:
                tree = parse(member.source())
            except UnreadableSource:
                continue
            if not isinstance(tree, Failure):
                trees.append((path, tree))
        shown = {path: member.shown for path, member in zip(paths, group, strict=True)}
        for path, several in operations(trees).items():
            found[paths[path]] = tuple(_with_shown_paths(operation, shown) for operation in several)
    return found


def _with_shown_paths(operation: Operation, shown: Mapping[str, str]) -> Operation:
    """The operation with the paths that users see in its calls."""
    chain = tuple(call._replace(path=shown[call.path]) for call in operation.chain)
    calls = tuple(call._replace(path=shown[call.path]) for call in operation.calls)
    return operation._replace(chain=chain, calls=calls)
