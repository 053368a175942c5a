"""How much of a device's peak a recorded run used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.probe import samples
from trainlint.evidence import Environment, Phase, Run, Step
from trainlint_probe.judgement.utilization import utilization


def run(gpu: str, on_device: dict[str, float], *, ms: float = 100.0, device: str = "cuda", units: str = "") -> Run:
    """Thirty steps, a few of which were held up."""
    steps = [ms] * 27 + [ms * 10] * 3
    facts = {"GPU": gpu, "GPU multiprocessors": units} if units else {"GPU": gpu}
    return Run(
        ("train.py",),
        Environment(facts if gpu else {}),
        "window closed",
        steps=tuple(Step(step, {Phase.OTHER: step}) for step in steps),
        device=device,
        flops=sum(on_device.values()),
        flops_on_device=on_device,
    )


def test_one_precision() -> None:
    # 15.6 TFLOP in 0.1 s are 156 TFLOP/s, half of what an A100 can do in bf16.
    used = utilization(run("NVIDIA A100-SXM4-40GB", {"bf16": 15.6e12}))
    assert used is not None
    assert used.share == pytest.approx(0.5)
    assert used.sentence == (
        "matrix products, convolutions and attention of a step are 15.6 TFLOP: 156.0 TFLOP/s, "
        "50.0% of the dense peak for bf16 (MFU)"
    )
    assert used.source == "NVIDIA A100 Tensor Core GPU, data sheet"


def test_each_precision_has_its_own_peak() -> None:
    # 20 ms of 312 TFLOP/s, 10 ms of 156 and 20 ms of 19.5: the device would need half of the step.
    mixed = {"bf16": 0.020 * 312e12, "tf32": 0.010 * 156e12, "fp32": 0.020 * 19.5e12}
    used = utilization(run("NVIDIA A100-SXM4-40GB", mixed))
    assert used is not None
    assert used.share == pytest.approx(0.5)
    assert used.precisions == ("bf16", "tf32", "fp32")


def test_tf32_may_be_allowed_where_no_unit_computes_it() -> None:
    used = utilization(run("Tesla T4", {"tf32": 0.05 * 8.1e12}))
    assert used is not None
    assert used.share == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("recorded", "why"),
    [
        (run("NVIDIA H20", {"bf16": 1e12}), "the peak of NVIDIA H20 is not known"),
        (run("AMD Instinct MI300X", {"bf16": 1e12}, units="38"), "the peak of AMD Instinct MI300X is not known"),
        (run("", {"bf16": 1e12}), "the device has no name"),
        (run("Tesla T4", {"bf16": 1e12}), "the peak of Tesla T4 for bf16 is not known"),
        (run("NVIDIA A100-SXM4-40GB", {"float64": 1e12}), "the peak of NVIDIA A100-SXM4-40GB for float64 is not known"),
        (run("NVIDIA A100-SXM4-40GB", {}), "none of them were seen on the device"),
        (run("NVIDIA A100-SXM4-40GB", {"bf16": 40e12}), "they would be more than the device can do"),
    ],
)
def test_where_the_peak_is_not_known_there_is_no_share_and_the_reason_is_told(recorded: Run, why: str) -> None:
    used = utilization(replace(recorded, flops=recorded.flops or 1e12))
    assert used is not None
    assert used.share is None
    assert f"no MFU, as {why}" in used.sentence
    assert used.source == ""


def test_a_trifle_in_another_type_changes_nothing() -> None:
    used = utilization(run("NVIDIA A100-SXM4-40GB", {"bf16": 15.6e12, "float64": 1e6}))
    assert used is not None
    assert used.share == pytest.approx(0.5)


def test_of_a_processor_nothing_is_said() -> None:
    assert utilization(replace(run("", {"fp32": 1e12}), device="cpu")) is None


def test_where_nothing_was_counted_nothing_is_said() -> None:
    assert utilization(replace(samples.run(), flops=None)) is None
    assert utilization(replace(samples.run(), steps=())) is None
