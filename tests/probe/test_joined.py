"""Lines that were seen at work, and a trace of the same lines."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.probe.traces.builder import ALL_REDUCE, TraceBuilder
from trainlint.evidence.places import Line
from trainlint.evidence.run import Environment, Run, Seen, Step
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.joined import with_recoverable
from trainlint_probe.traces.reading import TraceReading, read_trace


def seen(line: int, symptom: Symptom = Symptom.HOST_SYNC) -> Seen:
    return Seen(Line("train.py", line), symptom, "Tensor.item", 10, 50.0, device="cuda")


def run(*items: Seen) -> Run:
    return Run((), Environment({}), "window closed", steps=(Step(100.0, {}),), seen=items)


@pytest.fixture
def reading(tmp_path: Path) -> TraceReading:
    """Reads at train.py:4, after each of which the device has nothing to do for a while."""
    trace = TraceBuilder().on("NVIDIA A100-SXM4-80GB")
    trace.steps(100, 3)
    for start in (0, 100, 200):
        trace.kernel(start + 1, start + 60, launched=start + 0.5)
        trace.operator("TL|item|train.py:4", start + 1, start + 70)
        trace.copy("DtoH (Device -> Pageable)", (start + 1.1, start + 69.05), (start + 69, start + 69.01))
        trace.kernel(start + 75, start + 99, launched=start + 71)
    return read_trace(trace.write(tmp_path / "trace.json"))


def test_a_wait_learns_what_a_step_would_gain_without_it(reading: TraceReading) -> None:
    (item,) = with_recoverable(run(seen(4)), reading).seen
    assert item.recoverable is not None
    assert 0 < item.recoverable.low <= item.recoverable.high < 50


def test_other_lines_learn_nothing(reading: TraceReading) -> None:
    item, _ = with_recoverable(run(seen(5)), reading).seen
    assert item.recoverable is None


def test_what_is_no_wait_learns_nothing(reading: TraceReading) -> None:
    item, _ = with_recoverable(run(seen(4, Symptom.CHECKPOINT)), reading).seen
    assert item.recoverable is None


def test_a_wait_that_only_the_trace_knows_is_added(reading: TraceReading) -> None:
    (item,) = with_recoverable(run(), reading).seen
    assert (item.at, item.symptom, item.calls, item.steps) == (Line("train.py", 4), Symptom.HOST_SYNC, 2, 2)
    assert item.recoverable is not None


def test_a_trace_without_a_device_changes_nothing(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(100, 3)
    before = run(seen(4))
    assert with_recoverable(before, read_trace(trace.write(tmp_path / "trace.json"))) == before


def test_a_collective_costs_what_no_arithmetic_hides(tmp_path: Path) -> None:
    trace = TraceBuilder().on("NVIDIA A100-SXM4-80GB")
    trace.steps(100, 3)
    for start in (0, 100, 200):
        trace.kernel(start + 1, start + 30)
        trace.operator("TL|torch.distributed.all_reduce|train.py:9", start + 2, start + 3)
        trace.kernel(start + 20, start + 50, ALL_REDUCE, launched=start + 2.5, stream=9)
    reduced = Seen(Line("train.py", 9), Symptom.COLLECTIVE, "torch.distributed.all_reduce", 10, 1.0, device="cuda")
    other = replace(reduced, at=Line("train.py", 10))
    known, unknown = with_recoverable(run(reduced, other), read_trace(trace.write(tmp_path / "trace.json"))).seen
    assert known.recoverable is not None
    assert known.recoverable.low == 0
    assert known.recoverable.high == pytest.approx(20)
    assert unknown.recoverable is None
