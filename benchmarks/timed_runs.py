"""Runs of a script whose steps are timed, one after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.launch import Request, launch


class NotMeasured(Exception):
    """There are no times; the message says of what, and why."""


def step_times(script: Path, words: Sequence[str], *, warmup: int, steps: int, timeout: float) -> tuple[float, ...]:
    """Milliseconds of the steps after the warm-up. Raises NotMeasured."""
    settings = ChildSettings(output="", warmup=warmup, warmup_limit=warmup, steps=steps, timeout=timeout)
    with tempfile.TemporaryDirectory() as output:
        request = Request(str(script), tuple(words), child_settings=settings)
        launched = launch(request, Path(output))
    times = tuple(step.ms for run in launched.runs[:1] for step in run.steps)
    if len(times) < steps:
        why = launched.fault or next((run.failure or run.outcome for run in launched.runs), "it left no evidence")
        raise NotMeasured(f"{script.stem} {' '.join(words)}: {why}")
    return times


def alternating(pairs: int) -> list[bool]:
    """Which of the runs have the change: without, with, with, without: neither always comes first."""
    return [changed for pair in range(pairs) for changed in ((False, True) if pair % 2 == 0 else (True, False))]
