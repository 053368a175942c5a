"""The own time of operators: without those inside, on every thread, within the steps that are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.probe.traces.builder import TraceBuilder
from trainlint_probe.profile_tables.operators import Operators, OperatorTime
from trainlint_probe.profile_tables.tables import tables_of
from trainlint_probe.traces.events import read_events


def about(value: float) -> Any:
    """Equal but for rounding."""
    return pytest.approx(value)


def operators(trace: TraceBuilder, tmp_path: Path) -> Operators:
    tables = tables_of(read_events(trace.write(tmp_path / "trace.json")))
    assert tables is not None
    assert tables.operators is not None
    return tables.operators


def row(found: Operators, name: str) -> OperatorTime:
    (one,) = [item for item in found.rows if item.name == name]
    return one


def test_own_time_leaves_out_what_an_operator_calls(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(10, 3)
    for start in (0, 10, 20):
        trace.operator("aten::linear", start + 1, start + 5)
        trace.operator("aten::addmm", start + 2, start + 4)
        trace.operator("aten::addmm", start + 6, start + 7)
    found = operators(trace, tmp_path)
    assert row(found, "aten::addmm") == OperatorTime("aten::addmm", 2, about(3))
    assert row(found, "aten::linear") == OperatorTime("aten::linear", 1, about(2))
    assert [item.name for item in found.rows] == ["aten::addmm", "aten::linear"]
    assert found.covered_ms == about(5)
    assert (found.device_ms, found.device_covered_ms) == (None, None)


def test_what_two_threads_do_at_once_covers_the_step_once(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(10, 1)
    trace.operator("aten::mm", 1, 5)
    trace.operator("aten::copy_", 3, 7, thread=2)
    found = operators(trace, tmp_path)
    assert sum(item.own_ms for item in found.rows) == about(8)
    assert found.covered_ms == about(6)


def test_only_what_lies_in_the_steps_counts(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(10, 2)  # of which the first is left out
    trace.operator("aten::mm", 8, 12)
    trace.operator("aten::add", 25, 30)
    assert [(item.name, item.own_ms) for item in operators(trace, tmp_path).rows] == [("aten::mm", about(2))]


def test_an_operator_that_seems_to_outlast_its_caller_takes_nothing_twice(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(10, 1)
    trace.operator("aten::linear", 1, 5)
    trace.operator("aten::addmm", 2, 5.001)  # whole microseconds, rounded
    found = operators(trace, tmp_path)
    assert row(found, "aten::linear").own_ms == about(1)
    assert found.covered_ms == about(4.001)


def test_work_of_the_device_is_that_of_the_innermost_operator_that_asked_for_it(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(10, 1)
    trace.operator("aten::linear", 1, 3)
    trace.operator("aten::addmm", 1.5, 2.5)
    trace.kernel(3, 7, launched=2)
    trace.operator("aten::add", 4, 4.5)
    trace.kernel(7, 7.5, launched=4.2)
    trace.kernel(8, 9, launched=5)  # no operator asked for it
    found = operators(trace, tmp_path)
    assert [(item.name, item.device_ms) for item in found.rows] == [
        ("aten::addmm", about(4)),
        ("aten::add", about(0.5)),
        ("aten::linear", 0),
    ]
    assert (found.device_ms, found.device_covered_ms) == (about(5.5), about(4.5))


def test_a_trace_without_operators_has_no_table(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(10, 2)
    assert tables_of(read_events(trace.write(tmp_path / "trace.json"))) is None
