"""What is called wrong, and what is not."""

from pathlib import Path

import pytest

from tests.probe.traces.builder import ALL_REDUCE, ELEMENTWISE, PLAIN_PRODUCT, TENSOR_CORE_PRODUCT, TraceBuilder
from trainlint_probe.traces.judge import RuntimeFinding, judge
from trainlint_probe.traces.reading import read_trace


def _found(trace: TraceBuilder, tmp_path: Path) -> dict[str, RuntimeFinding]:
    return {finding.name: finding for finding in judge(read_trace(trace.write(tmp_path / "trace.json")))}


def _steps(count: int = 3, ms: float = 100) -> tuple[TraceBuilder, list[float]]:
    trace = TraceBuilder().on("NVIDIA A100-SXM4-80GB")
    trace.steps(ms, count)
    return trace, [number * ms for number in range(count)]


def test_a_well_kept_training_has_no_finding(tmp_path: Path) -> None:
    trace, starts = _steps()
    for start in starts:
        trace.annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", start, start + 0.3)
        trace.kernel(start + 1, start + 80, TENSOR_CORE_PRODUCT, launched=start + 0.5)
        trace.kernel(start + 60, start + 79, ALL_REDUCE, launched=start + 0.6, stream=20)
        trace.annotation("Optimizer.step#AdamW.step", start + 80, start + 99)
        for number in range(12):
            kernel = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedAdamMathFunctor<float> >"
            trace.kernel(start + 80 + 1.6 * number, start + 81.6 + 1.6 * number, kernel)
    assert _found(trace, tmp_path) == {}


def test_a_starved_training_loses_between_the_idle_time_and_the_wait(tmp_path: Path) -> None:
    trace, starts = _steps()
    for start in starts:
        trace.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start, start + 40)
        trace.kernel(start + 10, start + 20, launched=start + 0.001)
        trace.kernel(start + 40, start + 100)
    finding = _found(trace, tmp_path)["loader-starvation"]
    assert finding.cost is not None
    assert (finding.cost.low, finding.cost.high) == pytest.approx((30, 40))
    assert "40.0%" in finding.sentence


def test_on_a_processor_alone_the_wait_is_what_is_lost(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.steps(100, 3)
    for start in (0, 100, 200):
        trace.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start, start + 40)
    finding = _found(trace, tmp_path)["loader-starvation"]
    assert finding.cost is not None
    assert (finding.cost.low, finding.cost.high) == pytest.approx((40, 40))


def test_pageable_copies_are_told_apart_from_reading_values(tmp_path: Path) -> None:
    trace, starts = _steps()
    for start in starts:
        trace.operator("TL|to|train.py:10", start + 1, start + 6)
        trace.copy("HtoD (Pageable -> Device)", (start + 1, start + 6), (start + 1, start + 6))
        trace.kernel(start + 6.1, start + 80, launched=start + 6.05)
        trace.operator("TL|item|train.py:20", start + 10, start + 80.1)
        trace.copy("DtoH (Device -> Pinned)", (start + 11, start + 11.01), (start + 80, start + 80.01))
        trace.call("StreamSynchronize", start + 11.02, start + 80.01)
        trace.kernel(start + 90, start + 100)
    found = _found(trace, tmp_path)
    assert (str(found["pageable-copy"].source), str(found["host-sync"].source)) == ("train.py:10", "train.py:20")
    sync = found["host-sync"].cost
    assert sync is not None
    assert sync.low == pytest.approx(9.99)  # not the 69 ms that the host was blocked for


def test_waits_that_cost_little_each_are_told_together(tmp_path: Path) -> None:
    trace, starts = _steps(ms=12)
    for start in starts:
        for number in range(4):
            trace.operator(f"TL|item|train.py:{number + 1}", start + 2 * number + 1, start + 2 * number + 1.9)
            trace.kernel(start + 2 * number + 1, start + 2 * number + 1.8, launched=start + 2 * number)
            trace.call("StreamSynchronize", start + 2 * number + 1.1, start + 2 * number + 1.85)
            trace.kernel(start + 2 * number + 1.9, start + (2 * number + 3 if number < 3 else 13))
    finding = _found(trace, tmp_path)["host-sync"]
    assert "at 4 places" in finding.sentence


def test_launches_one_by_one_are_called_launch_bound(tmp_path: Path) -> None:
    trace, starts = _steps()
    for start in starts:
        for number in range(50):
            trace.kernel(start + 2 * number + 1, start + 2 * number + 1.5)
    finding = _found(trace, tmp_path)["launch-bound"]
    assert finding.share is not None
    # Half a millisecond of two is work. If recording doubled what the host takes, a step is half as long without it.
    assert (finding.share.low, finding.share.high) == pytest.approx((0.25, 0.75), abs=0.01)


def test_exposed_communication_is_what_no_kernel_hides(tmp_path: Path) -> None:
    trace, starts = _steps()
    for start in starts:
        trace.kernel(start + 1, start + 60, launched=start + 0.5)
        trace.kernel(start + 60, start + 99, ALL_REDUCE, launched=start + 0.6, stream=20)
    finding = _found(trace, tmp_path)["exposed-communication"]
    assert finding.cost is not None
    assert (finding.cost.low, finding.cost.high) == pytest.approx((39, 39))


@pytest.mark.parametrize(
    ("device", "capability", "name", "idle"),
    [
        ("NVIDIA A100-SXM4-80GB", (8, 0), PLAIN_PRODUCT, True),
        ("Tesla P100-PCIE-16GB", (6, 0), PLAIN_PRODUCT, False),
        ("AMD Instinct MI300X", (9, 4), PLAIN_PRODUCT, False),
        ("NVIDIA A100-SXM4-80GB", (8, 0), "ampere_dgemm_128x64_nn", False),
        ("NVIDIA A100-SXM4-80GB", (8, 0), TENSOR_CORE_PRODUCT, False),
    ],
    ids=["float32", "no tensor cores", "AMD", "float64", "tensor cores"],
)
def test_tensor_cores_idle_only_where_they_could_do_the_work(
    tmp_path: Path, device: str, capability: tuple[int, int], name: str, *, idle: bool
) -> None:
    trace = TraceBuilder().on(device, capability=capability)
    trace.step(1, 0, 100)
    trace.kernel(1, 99, name)
    assert ("tensor-cores-idle" in _found(trace, tmp_path)) == idle


def test_attention_computed_operator_by_operator_is_found(tmp_path: Path) -> None:
    trace, starts = _steps()
    for start in starts:
        trace.operator("aten::_scaled_dot_product_attention_math", start + 1, start + 5)
        trace.kernel(start + 2, start + 30)
    finding = _found(trace, tmp_path)["attention-math-path"]
    assert finding.cost is not None
    assert finding.cost.high == pytest.approx(28)


@pytest.mark.parametrize(
    ("kernel", "found"),
    [(ELEMENTWISE, True), ("void at::native::multi_tensor_apply_kernel<TensorListMetadata<2> >(int)", False)],
    ids=["parameter by parameter", "many at once"],
)
def test_an_optimizer_is_judged_by_its_kernels_not_by_their_number(tmp_path: Path, kernel: str, *, found: bool) -> None:
    """A very large model has hundreds of multi-tensor kernels, and nothing is wrong with that."""
    trace, starts = _steps()
    for start in starts:
        trace.annotation("Optimizer.step#AdamW.step", start + 50, start + 90)
        for number in range(300):
            trace.kernel(start + 50.1 + 0.1 * number, start + 50.2 + 0.1 * number, kernel)
    assert ("per-parameter-optimizer" in _found(trace, tmp_path)) == found


def test_memory_asked_of_the_driver_in_each_step_is_found_with_its_line(tmp_path: Path) -> None:
    trace, starts = _steps()
    for start in starts:
        trace.kernel(start + 1, start + 90, launched=start)
        trace.operator("TL|empty_cache|train.py:33", start + 90, start + 99)
        trace.call("Free", start + 91, start + 95)
        trace.call("Malloc", start + 96, start + 98)
    finding = _found(trace, tmp_path)["driver-allocation"]
    assert str(finding.source) == "train.py:33"
    assert finding.cost is not None
    assert finding.cost.high == pytest.approx(6)


def test_memory_asked_of_the_driver_in_the_only_recorded_step_is_no_finding(tmp_path: Path) -> None:
    """It may be the first of the training."""
    trace, _ = _steps(count=1)
    trace.kernel(1, 90)
    trace.call("Malloc", 91, 98)
    assert "driver-allocation" not in _found(trace, tmp_path)
