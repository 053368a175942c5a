"""The own time of modules: forward by their calls, backward by the links that PyTorch makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.probe.traces.builder import TraceBuilder
from trainlint_probe.profile_tables.modules import Modules, ModuleTime
from trainlint_probe.profile_tables.tables import tables_of
from trainlint_probe.traces.events import read_events
from trainlint_probe.traces.places import MODULE


def about(value: float) -> Any:
    """Equal but for rounding."""
    return pytest.approx(value)


NODE = "autograd::engine::evaluate_function: "


def modules(trace: TraceBuilder, tmp_path: Path) -> Modules:
    tables = tables_of(read_events(trace.write(tmp_path / "trace.json")))
    assert tables is not None
    assert tables.modules is not None
    return tables.modules


def by_path(found: Modules) -> dict[str, ModuleTime]:
    return {row.path: row for row in found.rows}


def forward(trace: TraceBuilder, start: float = 0) -> None:
    """A net of two layers: 1 ms of its own, and 2 and 3 in the layers."""
    trace.annotation(f"{MODULE}Net", start, start + 6)
    trace.annotation(f"{MODULE}Net.first", start + 1, start + 3)
    trace.operator("aten::linear", start + 1.5, start + 2.5)
    trace.annotation(f"{MODULE}Net.second", start + 3, start + 6)
    trace.operator("aten::linear", start + 4, start + 5)


def backward(trace: TraceBuilder, start: float, *, thread: object = 1) -> None:
    """4 ms for the second layer, 2 for the first, and 1 in which gradients are added up."""
    for name, begin, end in (("AddmmBackward0", 0, 4), ("AddmmBackward0", 4, 6), ("AccumulateGrad", 6, 7)):
        trace.operator(f"{NODE}{name}", start + begin, start + end, thread)
        trace.operator(name, start + begin + 0.1, start + end, thread)


def test_each_module_has_its_own_time_and_its_backward(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(20, 2)
    for start in (0, 20):
        forward(trace, start)
        backward(trace, start + 8)
        trace.link(start + 4, start + 8.1)
        trace.link(start + 1.5, start + 12.1)
    found = modules(trace, tmp_path)
    rows = by_path(found)
    assert rows["Net"] == ModuleTime("Net", 1, about(1), 0, None, about(12))
    assert rows["Net.first"] == ModuleTime("Net.first", 1, about(2), about(2), None, about(4))
    assert rows["Net.second"] == ModuleTime("Net.second", 1, about(3), about(4), None, about(7))
    assert [row.path for row in found.rows] == ["Net.second", "Net.first", "Net"]
    assert (found.forward_ms, found.backward_ms) == (about(6), about(6))
    assert found.unlinked_ms == about(1)


def test_backward_runs_on_a_thread_of_its_own_on_a_device(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(30, 1)
    forward(trace)
    trace.kernel(5, 12, launched=4.5)  # the second layer's forward
    backward(trace, 10, thread=2)
    trace.kernel(13, 16, launched=11, thread=2)  # and its backward
    trace.link(4, 10.1, backward_thread=2)
    found = modules(trace, tmp_path)
    assert by_path(found)["Net.second"].backward_ms == about(4)
    assert by_path(found)["Net.second"].device_ms == about(10)
    assert found.rows[0].path == "Net.second"
    trace.kernel(20, 25, launched=9)  # no module asked for it
    found = modules(trace, tmp_path)
    assert (found.device_ms, found.device_covered_ms) == (about(15), about(10))
    assert found.unlinked_ms == about(3)


def test_what_is_computed_again_in_backward_is_backward(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(20, 1)
    forward(trace)
    trace.operator(f"{NODE}CheckpointBackward", 8, 14)
    trace.annotation(f"{MODULE}Net.first", 9, 11)
    trace.link(4, 8)
    found = by_path(modules(trace, tmp_path))
    assert (found["Net.first"].forward_ms, found["Net.first"].backward_ms) == (about(2), about(2))
    assert found["Net.second"].backward_ms == about(4)


def test_without_links_nothing_is_said_of_backward(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(20, 1)
    forward(trace)
    backward(trace, 8)
    found = modules(trace, tmp_path)
    assert (found.backward_ms, found.unlinked_ms) == (None, 0)
    assert {row.backward_ms for row in found.rows} == {None}


def test_a_trace_of_others_knows_modules_by_their_frames(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(20, 1)
    trace.frame("nn.Module: Net_0", 1, 6)
    trace.frame("train.py(3): forward", 1, 6)
    trace.frame("nn.Module: Linear_0", 2, 4)
    rows = by_path(modules(trace, tmp_path))
    assert {path: row.forward_ms for path, row in rows.items()} == {
        "Net_0": about(3),
        "Net_0.Linear_0": about(2),
    }
    assert rows["Net_0"].whole_ms == about(5)
