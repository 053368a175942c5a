"""What a run says before it starts and while it lasts."""

from __future__ import annotations

import io
from itertools import count
from pathlib import Path

import pytest

from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.report import progress as module
from trainlint_probe.report.progress import Progress, about_to_run, note_progress
from trainlint_probe.watch.steps import Candidate, Clock, Source
from trainlint_probe.watch.watching import Watch


@pytest.mark.parametrize(
    ("device", "steps"),
    [
        ("real", "about 40 to 70 steps"),
        ("simulated:a100", "23 steps"),
        ("auto", "23 steps (on a real GPU about 40 to 70 steps)"),
    ],
)
def test_before_a_run_one_line_says_how_long_it_takes_and_how_to_stop_it(device: str, steps: str) -> None:
    orders = ChildSettings(output="", warmup=10, steps=30, device=device, timeout=600.0)
    assert about_to_run("train.py", orders) == (
        f"Running train.py: it stops by itself after {steps}, at the latest 600 s after the first. "
        "Ctrl-C stops it sooner."
    )


def test_a_long_run_says_now_and_then_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr("sys.stderr", terminal)
    seconds = count(0, 5)
    monkeypatch.setattr(module, "monotonic", lambda: float(next(seconds)))
    progress = Progress(tmp_path)
    for _ in range(3):
        progress.tell()
    note_progress(str(tmp_path), "12 of 30 steps measured")
    for _ in range(4):
        progress.tell()
    said = [line.rpartition("\x1b[2K")[2] for line in terminal.getvalue().split("\n") if line]
    assert said == ["After 15 s: no step yet.", "After 30 s: 12 of 30 steps measured."]


def test_the_clock_knows_how_far_the_measurement_is() -> None:
    clock = Clock(ChildSettings(output="", warmup=2, steps=3), Watch("", ""), closed=lambda: None)
    said = [clock.progress()]
    optimizer = object()
    for _ in range(3):
        clock.mark(optimizer, Source.OPTIMIZER, lambda: "SGD.step at train.py:1")
        said.append(clock.progress())
    assert said == ["", "", "1 of at least 2 steps of warm-up", "2 of at least 2 steps of warm-up"]
    chosen = Candidate(Source.OPTIMIZER, "SGD.step at train.py:1")
    clock.chosen, clock.open = chosen, True
    chosen.marks = clock.candidates[optimizer].marks[:2]
    assert clock.progress() == "1 of 3 steps measured"
