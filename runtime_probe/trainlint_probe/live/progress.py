"""How far a run is, as the process that trains tells the one that waits for it: a small file, written by a thread."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.evidence_json import Damaged, from_json, to_json

if TYPE_CHECKING:
    from trainlint_probe.watch.afterwards.deeper import Deeper
    from trainlint_probe.watch.steps import Clock

_FILE = "progress.json"


@dataclass(frozen=True, slots=True)
class Progress:
    """What goes on."""

    doing: str
    """For people: "warming up"."""
    done: int = 0
    """Whole steps of it."""
    of: int = 0
    """How many there will be at least; 0 where that is not known."""
    step_ms: float | None = None
    """What the last steps took; None where none was seen."""


def progress_of(clock: Clock, deeper: Deeper | None) -> Progress:
    """How far a run is. It is asked by another thread than the one that trains."""
    best = clock.best_candidate()
    if best is None or not best.steps:
        return Progress("waiting for the first steps")
    if clock.is_closed:
        return Progress(deeper.doing if deeper is not None else "writing the evidence")
    last = best.marks[-_LAST:]
    step_ms = (last[-1].at - last[0].at) / 1e6 / (len(last) - 1) if len(last) > 1 else None
    if clock.open:
        return Progress("measuring", best.steps, clock.child_settings.steps, step_ms)
    is_late = best.steps > clock.child_settings.warmup
    if is_late:
        return Progress(f"warming up, {best.steps} steps, not steady yet", step_ms=step_ms)
    return Progress("warming up", best.steps, clock.child_settings.warmup, step_ms)


_LAST = 6
"""Marks that the time of a step is read from."""


def write_progress(progress: Progress, output: Path) -> None:
    """Tell it. Where that fails, nothing is shown, and the run goes on."""
    part = output / f"{_FILE}.{os.getpid()}"
    with suppress(OSError):
        part.write_text(json.dumps(to_json(progress)), encoding="utf-8")
        part.replace(output / _FILE)  # a reader sees the old one or the new one, and nothing in between


def read_progress(output: Path) -> Progress | None:
    """What was told last; None where nothing was."""
    try:
        return from_json(json.loads((output / _FILE).read_text(encoding="utf-8")), Progress)
    except (OSError, ValueError, Damaged):
        return None
