"""What a run on the simulated device counted, by file and line."""

from __future__ import annotations

import os
import sysconfig
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from trainlint.evidence.places import Called
from trainlint.evidence.run import Run
from trainlint.evidence.simulation import DeviceEvent, Simulated

_INSTALLED = ("site-packages", "dist-packages")
_STANDARD = os.path.realpath(sysconfig.get_path("stdlib")) + os.sep


class Hit(NamedTuple):
    """An event, seen from one line on the way to it."""

    line: int
    depth: int
    """How many calls within the line's own project lie between it and the innermost line there: 0 is that line."""
    event: DeviceEvent
    innermost: Called
    """The innermost line of the same project."""


class RunFacts(NamedTuple):
    """A run with at least one step."""

    simulated: Simulated
    steps: int
    hits: Mapping[str, tuple[Hit, ...]]
    """By the real path of the file."""
    executed: Mapping[str, Collection[int]]
    """The lines that ran in the steps, by the real path of the file."""
    watched: Callable[[str], bool]
    """Whether the lines of a file, by its real path, were watched: of one that was not, none is known to have run."""


def run_facts(run: Run, root: Path, asked: Collection[str]) -> RunFacts | None:
    """The facts of a run; None where it took no step, or was not on a simulated device.

    Args:
        run: what was recorded.
        root: the directory that its paths are relative to.
        asked: the real paths of files whose lines were watched although they may be a library's.
    """
    if run.simulated is None or not run.steps:
        return None

    @cache
    def real(path: str) -> str:
        return os.path.realpath(root / path)

    hits: dict[str, list[Hit]] = defaultdict(list)
    for event in run.simulated.events:
        for path, hit in _hits(event, real):
            hits[path].append(hit)
    executed = {real(path): frozenset(lines) for path, lines in run.simulated.executed.items()}
    return RunFacts(
        run.simulated,
        len(run.steps),
        {path: tuple(found) for path, found in hits.items()},
        executed,
        lambda path: path in executed or path in asked or not _project(path),
    )


def _hits(event: DeviceEvent, real: Callable[[str], str]) -> Iterator[tuple[str, Hit]]:
    innermost: dict[str, Called] = {}
    depths: dict[str, int] = defaultdict(int)
    chain = event.chain or (Called(event.path, event.line, event.function),)
    for place in chain:
        path = real(place.path)
        project = _project(path)
        first = innermost.setdefault(project, place)
        yield path, Hit(place.line, depths[project], event, first)
        depths[project] += 1
    own = Called(event.path, event.line, event.function)
    if own not in chain:
        yield real(own.path), Hit(own.line, 0, event, own)
    if event.forward is not None:
        path = event.forward.path
        yield real(path), Hit(event.forward.line, 0, event, Called(path, event.forward.line, ""))


def _project(path: str) -> str:
    """The installed package that a file belongs to; empty for the user's own."""
    if path.startswith(_STANDARD) and not any(f"{os.sep}{folder}{os.sep}" in path for folder in _INSTALLED):
        return "the standard library"
    parts = Path(path).parts
    for folder in _INSTALLED:
        if folder in parts[:-1]:
            return parts[parts.index(folder) + 1]
    return ""
