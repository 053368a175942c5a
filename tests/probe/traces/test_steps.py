"""Where steps begin and end, and whose work is whose."""

from pathlib import Path

import pytest

from tests.probe.traces.builder import TraceBuilder, idle_share
from trainlint.evidence.run import Phase
from trainlint_probe.traces.reading import read_trace


def test_the_first_recorded_step_is_left_out(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(7, 0, 50)
    trace.step(8, 50, 60)
    trace.step(9, 60, 72)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.steps_ms == pytest.approx((10, 12))
    assert reading.step_ms == pytest.approx(11)
    assert any("first of 3 recorded steps is left out" in note for note in reading.notes)


def test_a_single_step_is_kept(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(7, 0, 50)
    assert read_trace(trace.write(tmp_path / "trace.json")).steps_ms == pytest.approx((50,))


def test_without_marks_steps_lie_between_the_ends_of_optimizer_steps(tmp_path: Path) -> None:
    trace = TraceBuilder()
    for end in (10, 25, 45):
        trace.annotation("Optimizer.step#AdamW.step", end - 2, end)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.steps_ms == pytest.approx((15, 20))
    assert any("no ProfilerStep" in note for note in reading.notes)


def test_without_any_marks_the_whole_trace_counts_as_one_and_says_so(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.kernel(10, 40)
    trace.operator("aten::add", 0, 5)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.steps_ms == ()
    assert reading.step_ms == pytest.approx(40)
    assert any("marks no steps" in note and "prof.step()" in note for note in reading.notes)


def test_phases_are_exclusive_and_add_up_to_the_step(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 30)
    trace.frame("nn.Module: Net_0", 30, 50)
    trace.operator("autograd::engine::evaluate_function: AddmmBackward0", 50, 60, 2)
    trace.frame("nn.Module: Net_0", 55, 58)  # checkpointing runs forward again, within backward
    trace.operator("autograd::engine::evaluate_function: MulBackward0", 60.5, 70, 2)
    trace.annotation("Optimizer.step#SGD.step", 70, 80)
    phases = read_trace(trace.write(tmp_path / "trace.json")).phases
    assert phases == pytest.approx(
        {Phase.DATA_WAIT: 30, Phase.FORWARD: 20, Phase.BACKWARD: 20, Phase.OPTIMIZER: 10, Phase.OTHER: 20}
    )


def test_a_closure_within_the_optimizer_keeps_its_own_phases(tmp_path: Path) -> None:
    """LBFGS, and everything under Lightning, calls forward and backward from `optimizer.step(closure)`."""
    trace = TraceBuilder()
    trace.step(1, 0, 50)
    trace.annotation("Optimizer.step#LBFGS.step", 0, 50)
    trace.frame("nn.Module: Net_0", 5, 15)
    trace.operator("autograd::engine::evaluate_function: AddmmBackward0", 15, 35)
    phases = read_trace(trace.write(tmp_path / "trace.json")).phases
    assert phases == pytest.approx({Phase.FORWARD: 10, Phase.BACKWARD: 20, Phase.OPTIMIZER: 20, Phase.OTHER: 0})


def test_an_optimizer_that_steps_in_a_hook_of_backward_is_told_apart(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 50)
    trace.operator("autograd::engine::evaluate_function: AccumulateGrad", 10, 40)
    trace.annotation("Optimizer.step#SGD.step", 20, 25)
    phases = read_trace(trace.write(tmp_path / "trace.json")).phases
    assert phases == pytest.approx({Phase.BACKWARD: 25, Phase.OPTIMIZER: 5, Phase.OTHER: 20})


def test_work_belongs_to_the_step_that_launched_it_however_late_it_runs(tmp_path: Path) -> None:
    """The device is a step behind its host. The last kernel of what was never recorded runs in the window."""
    trace = TraceBuilder()
    trace.steps(10, 3)
    trace.event("kernel", "left over", 10.5, 12, 7, correlation=999, device=0, stream=7)
    for number in range(3):
        trace.kernel(12 + 15 * number, 27 + 15 * number, launched=1 + 10 * number)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.device is not None
    assert reading.device.launches.kernels_per_step == 1
    assert reading.device.arithmetic.classes[0].ms == pytest.approx(15)
    assert reading.step_ms == pytest.approx(10)
    assert reading.pace_ms == pytest.approx(15)
    assert any("CPU ran ahead" in note for note in reading.notes)


def test_work_whose_launch_was_not_recorded_follows_its_stream(tmp_path: Path) -> None:
    """Profilers of 2023 did not see how Triton launches: its kernels belong to the step of those before them."""
    trace = TraceBuilder()
    trace.steps(10, 3)
    for number in range(3):
        trace.kernel(12 + 15 * number, 20 + 15 * number, launched=1 + 10 * number)
        trace.event("kernel", "triton_", 20 + 15 * number, 27 + 15 * number, 7, device=0, stream=7)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.device is not None
    assert reading.device.launches.kernels_per_step == 2
    assert reading.pace_ms == pytest.approx(15)


def test_numbers_are_of_the_busiest_device(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 10)
    trace.kernel(1, 2, device=0, stream=7)
    trace.kernel(1, 9, device=1, stream=8)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.device is not None
    assert reading.device.number == 1
    assert idle_share(reading) == pytest.approx(0.2)
    assert any("2 GPUs" in note for note in reading.notes)
