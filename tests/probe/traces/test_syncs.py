"""What waits of the host cost: not what they take, but what the device does not get meanwhile."""

from pathlib import Path

import pytest

from tests.probe.traces.builder import TraceBuilder
from trainlint_probe.traces.device import DeviceReading
from trainlint_probe.traces.reading import read_trace


def _device(trace: TraceBuilder, tmp_path: Path) -> DeviceReading:
    device = read_trace(trace.write(tmp_path / "trace.json")).device
    assert device is not None
    return device


def test_a_host_that_is_blocked_while_the_device_works_loses_only_the_bubble_after_it(tmp_path: Path) -> None:
    """`loss.item()`: 80 ms blocked, and 2 ms until the device has work again."""
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.kernel(5, 90, launched=5)
    trace.operator("aten::item", 9, 91)
    trace.copy("DtoH (Device -> Pinned)", (10, 10.02), (90, 90.002))
    trace.call("StreamSynchronize", 10.03, 90.002)
    trace.kernel(92.002, 100)
    syncs = _device(trace, tmp_path).syncs
    assert syncs.count == 1
    assert syncs.idle == pytest.approx(0, abs=1e-6)
    assert syncs.blocked == pytest.approx(80.002)
    assert syncs.recoverable is not None
    assert syncs.recoverable.low == pytest.approx(2)
    assert syncs.recoverable.high == pytest.approx(2.002)
    assert syncs.sites[0].operator == "aten::item"


def test_the_wait_for_pageable_memory_is_inside_the_copy_not_in_the_synchronize_after_it(tmp_path: Path) -> None:
    """To count cudaStreamSynchronize alone would find 1 µs here."""
    trace = TraceBuilder()
    trace.step(1, 0, 50)
    trace.kernel(1, 30, launched=1)
    trace.copy("DtoH (Device -> Pageable)", (2, 30.01), (30, 30.01))
    trace.call("StreamSynchronize", 30.011, 30.012)
    trace.kernel(31, 50)
    syncs = _device(trace, tmp_path).syncs
    assert syncs.count == 1
    assert syncs.blocked == pytest.approx(28.012)
    assert (syncs.sites[0].call, syncs.sites[0].copy) == ("cudaMemcpyAsync", "DtoH, pageable")


def test_what_a_pageable_copy_to_the_device_takes_can_be_gained_though_the_device_copies(tmp_path: Path) -> None:
    """To count copies as work alone would leave a bubble of 0.1 ms, and no gain of pinned memory."""
    trace = TraceBuilder()
    trace.step(1, 0, 20)
    trace.kernel(0.1, 1, launched=0.05)
    trace.copy("HtoD (Pageable -> Device)", (1, 6), (1, 6), size=50_000_000)
    trace.call("StreamSynchronize", 6.001, 6.002)
    trace.kernel(6.102, 20)
    device = _device(trace, tmp_path)
    assert device.syncs.recoverable is not None
    assert device.syncs.recoverable.low == pytest.approx(0.1)
    assert device.syncs.recoverable.high == pytest.approx(5.002)  # as long as the host is blocked, and no longer
    [copy] = device.copies
    assert copy.gb_per_s == pytest.approx(10)


def test_a_pageable_copy_behind_kernels_hides_nothing_but_its_own_end(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 20)
    trace.kernel(0.5, 10, launched=0.4, stream=8)
    trace.copy("HtoD (Pageable -> Device)", (1, 6), (1, 6))
    trace.kernel(10, 20, launched=7)
    syncs = _device(trace, tmp_path).syncs
    assert (syncs.count, syncs.blocked) == pytest.approx((1, 5))
    assert syncs.recoverable is not None
    assert syncs.recoverable.high == pytest.approx(0)


def test_where_the_device_idles_while_the_host_is_blocked_nothing_is_concluded(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 200)
    trace.kernel(1, 20, launched=1)
    trace.copy("DtoH (Device -> Pageable)", (10, 150), (149.9, 150))
    trace.call("StreamSynchronize", 150.001, 150.002)
    trace.kernel(151, 200)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.device is not None
    syncs = reading.device.syncs
    assert syncs.idle == pytest.approx(129.9, abs=0.01)
    assert syncs.recoverable is None
    assert syncs.sites[0].recoverable is None
    assert any("the cost of the waits is unknown" in note for note in reading.notes)


def test_a_short_wait_on_an_idle_device_costs_what_it_takes(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 10)
    trace.kernel(1, 2)
    trace.call("DeviceSynchronize", 5, 5.03)
    trace.kernel(9, 10)
    syncs = _device(trace, tmp_path).syncs
    assert syncs.recoverable is not None
    assert (syncs.recoverable.low, syncs.recoverable.high) == pytest.approx((0.03, 0.03))


def test_many_short_waits_on_an_idle_device_are_no_mystery(tmp_path: Path) -> None:
    """Each takes what a call takes, though together they are 8% of the step and the device is always idle."""
    trace = TraceBuilder()
    trace.step(1, 0, 10)
    for number in range(10):
        trace.kernel(number + 0.1, number + 0.2)
        trace.call("StreamSynchronize", number + 0.5, number + 0.58)
    assert _device(trace, tmp_path).syncs.recoverable is not None


def test_a_wait_may_cost_more_than_the_gap_before_the_next_wait_returns(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 30)
    trace.kernel(1, 10, launched=1)
    trace.call("StreamSynchronize", 5, 10)
    trace.call("DeviceSynchronize", 10.5, 10.55)
    trace.kernel(14, 30)
    for site in _device(trace, tmp_path).syncs.sites:
        assert site.recoverable is not None
        assert site.recoverable.low <= site.recoverable.high
    assert {s.call: s.recoverable.low for s in _device(trace, tmp_path).syncs.sites if s.recoverable} == pytest.approx(
        {"cudaStreamSynchronize": 4, "cudaDeviceSynchronize": 0.05}
    )


def test_a_copy_long_before_a_wait_is_not_part_of_it(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 30)
    trace.copy("HtoD (Pinned -> Device)", (1, 1.02), (1.1, 1.5))
    trace.kernel(2, 25, launched=2)
    trace.call("StreamSynchronize", 20, 25)
    syncs = _device(trace, tmp_path).syncs
    assert (syncs.count, syncs.blocked) == pytest.approx((1, 5))
    assert syncs.sites[0].copy == ""


def test_rocm_copies_and_waits_in_one_call(tmp_path: Path) -> None:
    trace = TraceBuilder(maker="hip").on("AMD Instinct MI300X", capability=(9, 4))
    trace.step(1, 0, 50)
    trace.kernel(1, 40, "Cijk_Alik_Bljk_BBS_BH_MT256x192x64_MI16x16x1_SN", launched=1)
    trace.copy("DtoH (Device -> Host)", (5, 40.1), (40, 40.1), by="MemcpyWithStream")
    trace.call("StreamSynchronize_spt", 44, 45)
    trace.kernel(45, 50)
    device = _device(trace, tmp_path)
    assert [(site.call, site.count) for site in device.syncs.sites] == [
        ("hipMemcpyWithStream", 1),
        ("hipStreamSynchronize_spt", 1),
    ]
    assert device.syncs.blocked == pytest.approx(36.1)
    assert device.arithmetic.tensor_core_share == 1


def test_rocm_does_not_tell_which_memory_is_pageable(tmp_path: Path) -> None:
    trace = TraceBuilder(maker="hip")
    trace.step(1, 0, 10)
    trace.copy("HtoD (Host -> Device)", (1, 2), (1, 2))
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.device is not None
    assert [(copy.direction, copy.memory) for copy in reading.device.copies] == [("HtoD", "")]
    assert any("pageable memory of the CPU from pinned" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("between", "line"),
    [
        (lambda trace: trace.operator("aten::view", 21, 22), "train.py:7"),
        (lambda trace: trace.operator("aten::add", 31, 31.5), "None"),
    ],
    ids=["of the same operator", "of another operator"],
)
def test_a_range_behind_a_wait_tells_its_line(tmp_path: Path, between: object, line: str) -> None:
    """CUDA warns of a wait when the host goes on: the range of our deep pass begins there."""
    trace = TraceBuilder()
    trace.step(1, 0, 40)
    trace.operator("aten::index", 1, 30)
    trace.kernel(2, 20, launched=2)
    trace.call("StreamSynchronize", 5, 20)
    assert callable(between)
    between(trace)
    trace.annotation("TL|wait|train.py:7", 32, 32.01)
    assert str(_device(trace, tmp_path).syncs.sites[0].source) == line


@pytest.mark.parametrize(
    ("around", "line"),
    [
        (lambda trace: trace.operator("TL|item|src/train.py:42", 1, 29), "src/train.py:42"),
        (lambda trace: trace.annotation(r"TL|item|C:\me\train.py:42", 1, 29), "C:/me/train.py:42"),
        (
            lambda trace: [trace.frame(name, 1, 29) for name in ("train.py(30): fit", "torch/_tensor.py(9): item")],
            "fit (train.py:30)",
        ),
        (lambda trace: trace.frame("threading.py(973): run", 1, 29), "None"),
    ],
    ids=["range of the deep pass", "on Windows", "frames", "frames of libraries alone"],
)
def test_waits_carry_the_line_that_the_trace_tells(tmp_path: Path, around: object, line: str) -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 30)
    assert callable(around)
    around(trace)
    trace.kernel(2, 20, launched=2)
    trace.call("StreamSynchronize", 5, 20)
    trace.annotation("## metrics ##", 0.5, 29.5)
    site = _device(trace, tmp_path).syncs.sites[0]
    assert str(site.source) == line
    assert site.annotation == "## metrics ##"
