"""Which places of the user's files a run comes by: a fix at a line that never ran cannot be tried by running.

It looks at each line of a few files while they run, which takes time: only a run that is not timed is watched so.
"""

from __future__ import annotations

import multiprocessing.spawn
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from trainlint_probe.verify.order import Place

Tracer = Callable[[FrameType, str, Any], Any]


def install(places: Sequence[Place], file: str) -> None:
    """Begin to watch in this process, its threads, and the processes that it forks or spawns.

    The numbers of the places that were reached are appended to `file`, by all of these processes.
    """
    trace = _tracer(places, file)
    sys.settrace(trace)
    threading.settrace(trace)
    standard = multiprocessing.spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        """What a spawned process is told before it imports the script."""
        return {**standard(name), "trainlint reached": _InstallTracking(places, file)}

    multiprocessing.spawn.get_preparation_data = get_preparation_data


def reached_places(places: Sequence[Place], file: Path) -> tuple[Place, ...] | None:
    """The places that were reached until now. None where torch.compile was at work: what it compiles does not tell."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    if dynamo is not None and dynamo.counters["frames"]:
        return None
    numbers = set(map(int, file.read_text(encoding="ascii").split())) if file.exists() else set()
    return tuple(place for number, place in enumerate(places) if number in numbers)


class _InstallTracking:
    """Installs the same in the process that unpickles it."""

    def __init__(self, places: Sequence[Place], file: str) -> None:
        self.arguments = (tuple(places), file)

    def __reduce__(self) -> tuple[Callable[..., None], tuple[tuple[Place, ...], str]]:
        return install, self.arguments


def _tracer(places: Sequence[Place], file: str) -> Tracer:
    wanted: dict[str, dict[int, set[int]]] = {}
    """Real path → line → numbers of the places that it is part of."""
    for number, place in enumerate(places):
        lines = wanted.setdefault(place.path, {})
        for line in range(place.first, place.last + 1):
            lines.setdefault(line, set()).add(number)
    known: dict[str, dict[int, set[int]] | None] = {}

    def lines_of(path: str) -> dict[int, set[int]] | None:
        if path not in known:
            known[path] = wanted.get(os.path.realpath(path))
        return known[path]

    def enter(frame: FrameType, event: str, argument: object) -> Tracer | None:
        lines = lines_of(frame.f_code.co_filename)
        if not lines:
            return None

        def at_line(frame: FrameType, event: str, argument: object) -> Tracer | None:
            reached = lines.pop(frame.f_lineno, None) if event == "line" else None
            if reached:
                _append(file, reached)
            return at_line if lines else None

        return at_line

    return enter


def _append(file: str, numbers: set[int]) -> None:
    # Several processes write to it, each a few bytes at once.
    with open(file, "a", encoding="ascii") as stream:  # noqa: PTH123 - in the middle of the user's code, so little is run
        stream.write("".join(f"{number}\n" for number in sorted(numbers)))
