"""The plain reading of traces, and what is said where the probe's lies off."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.trace_agreement import __main__ as command
from benchmarks.trace_agreement.plain import Figures, figures
from tests.probe import samples
from tests.probe.traces.builder import ALL_REDUCE, TraceBuilder


def about(value: float) -> Any:
    """Equal but for rounding."""
    return pytest.approx(value)


def test_figures_of_a_trace_with_steps(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(20, 3)
    for start in (0, 20, 40):
        trace.kernel(start + 2, start + 8)
        trace.kernel(start + 5, start + 11, ALL_REDUCE, stream=9)
    assert figures(trace.write(tmp_path / "trace.json")) == Figures(2, about(20), about(11), about(6), about(12))


def test_figures_of_a_trace_without_steps_are_of_all_of_it(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.operator("aten::mm", 0, 4)
    trace.kernel(6, 8, launched=2)
    found = figures(trace.write(tmp_path / "trace.json"))
    assert (found.steps, found.step_ms, found.idle_ms) == (1, about(8), about(6))


def test_the_probe_and_the_plain_reading_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    samples.trace(tmp_path / "one.json")
    samples.trace_of_host(tmp_path / "two.json")
    monkeypatch.setattr(sys, "argv", ["trace_agreement", str(tmp_path / "one.json"), str(tmp_path / "two.json")])
    assert command.main() == 0
    one, two = capsys.readouterr().out.splitlines()[2:]
    assert one.startswith("| one.json | 4 | 20.00 / 20.00 |")
    assert "- / -" in two


def test_of_a_value_that_is_nearly_nothing_no_share_is_told() -> None:
    plain = Figures(1, 100, 0.05, 0, 0)
    assert command.differences(replace(plain, idle_ms=0.10), plain) == {}
    assert command.differences(replace(plain, idle_ms=0.20), plain).keys() == {"idle_ms"}


def test_a_difference_fails_and_a_trifle_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = samples.trace(tmp_path / "one.json")
    right = figures(path)
    assert right.idle_ms is not None
    for idle, code in ((right.idle_ms + 0.01, 0), (right.idle_ms * 1.1, 1)):
        monkeypatch.setattr(command, "figures", lambda _, idle=idle: replace(right, idle_ms=idle))
        monkeypatch.setattr(sys, "argv", ["trace_agreement", str(path)])
        assert command.main() == code


def test_a_file_that_is_no_trace_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none.json"
    path.write_text("{}")
    monkeypatch.setattr(sys, "argv", ["trace_agreement", str(path)])
    assert command.main() == 1
    assert "could not be read" in capsys.readouterr().out
