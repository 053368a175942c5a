"""Why a device has nothing to do, what it computes, and how communication hides."""

from pathlib import Path

import pytest

from tests.probe.traces.builder import ALL_REDUCE, PLAIN_PRODUCT, TENSOR_CORE_PRODUCT, TraceBuilder, idle_share
from trainlint_probe.traces.device_work.kernels import KernelClass
from trainlint_probe.traces.idle import Cause
from trainlint_probe.traces.reading import TraceReading, read_trace


def _reading(trace: TraceBuilder, tmp_path: Path) -> TraceReading:
    return read_trace(trace.write(tmp_path / "trace.json"))


def test_each_cause_of_an_idle_device_is_counted_once(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 20)
    trace.call("Malloc", 20, 25)
    trace.kernel(30, 40, launched=29.995)  # the host came late by 5 ms
    trace.call("DeviceSynchronize", 35, 45)
    trace.kernel(60, 100, launched=45)  # launched at once, and it waits for another stream
    reading = _reading(trace, tmp_path)
    assert reading.device is not None
    assert reading.device.idle_causes == pytest.approx(
        {Cause.DATA_WAIT: 20, Cause.ALLOCATION: 5, Cause.LAUNCH: 5.005, Cause.HOST_SYNC: 5, Cause.OTHER: 14.995}
    )
    assert sum(reading.device.idle_causes.values()) == pytest.approx(reading.device.idle) == pytest.approx(50)


def test_a_device_that_waits_for_each_launch_is_launch_bound(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    for start in range(1, 100):
        trace.kernel(start, start + 0.3)
    reading = _reading(trace, tmp_path)
    assert reading.device is not None
    assert reading.device.launch_bound
    assert reading.device.launches.per_step == 99
    assert reading.device.launches.lag_ms == pytest.approx(0, abs=0.002)


def test_a_device_with_a_queue_is_not_launch_bound_even_if_it_was_idle_before(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    for number in range(100):
        trace.kernel(40 + 0.6 * number, 40.6 + 0.6 * number, launched=39 + 0.01 * number)
    reading = _reading(trace, tmp_path)
    assert reading.device is not None
    assert idle_share(reading) == pytest.approx(0.4)
    assert not reading.device.launch_bound


def test_communication_is_exposed_while_no_other_kernel_runs(tmp_path: Path) -> None:
    trace = TraceBuilder(rank=0, world_size=2)
    trace.step(1, 0, 50)
    trace.kernel(1, 20, launched=1)
    trace.kernel(10, 40, ALL_REDUCE, launched=5, stream=20)
    reading = _reading(trace, tmp_path)
    assert reading.communication is not None
    assert (reading.communication.ms, reading.communication.exposed) == pytest.approx((30, 20))
    assert reading.communication.overlapped == pytest.approx(1 / 3)


def test_kernels_are_counted_by_class_and_units(tmp_path: Path) -> None:
    trace = TraceBuilder().on("NVIDIA A100-SXM4-80GB")
    trace.steps(50, 3)
    for start in (0, 50, 100):
        trace.kernel(start + 1, start + 11, PLAIN_PRODUCT)
        trace.kernel(start + 11, start + 41, TENSOR_CORE_PRODUCT)
        trace.kernel(start + 41, start + 45)
    reading = _reading(trace, tmp_path)
    assert reading.device is not None
    arithmetic = reading.device.arithmetic
    assert [(share.of, share.count) for share in arithmetic.classes] == [
        (KernelClass.MATRIX_PRODUCT, 2),
        (KernelClass.ELEMENTWISE, 1),
    ]
    assert [share.ms for share in arithmetic.classes] == pytest.approx([40, 4])
    assert arithmetic.tensor_core_share == pytest.approx(0.75)


def test_launches_are_counted_per_step_of_each_optimizer(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(50, 2)
    for start in (0, 50):
        for part in (10, 20):
            trace.annotation("Optimizer.step#SGD.step", start + part, start + part + 5)
            for number in range(4):
                trace.kernel(start + part + 1 + number, start + part + 1.5 + number)
            trace.kernel(start + part + 6, start + part + 7)
    reading = _reading(trace, tmp_path)
    assert reading.device is not None
    [sgd] = reading.device.launches.optimizers
    assert (sgd.steps, sgd.launches, sgd.kernels, sgd.many_at_once) == (2, 4, 4, 0)


def test_attention_on_the_math_path_is_seen_by_its_operator(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 50)
    trace.operator("aten::scaled_dot_product_attention", 1, 20)
    trace.operator("aten::_scaled_dot_product_attention_math", 2, 19)
    trace.kernel(5, 12, PLAIN_PRODUCT)
    trace.kernel(12, 15, launched=6)
    trace.kernel(30, 40)
    trace.operator("aten::_scaled_dot_product_flash_attention", 31, 32)
    reading = _reading(trace, tmp_path)
    assert reading.device is not None
    assert reading.device.arithmetic.attention == {"math": 1, "flash": 1}
    assert reading.device.arithmetic.math_attention_ms == pytest.approx(10)
