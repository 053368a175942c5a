"""Traces of real devices, with the figures that are known of them. They cannot stand in the repository.

They are looked for in the directory that TRAINLINT_TRACES names, or in `../shared/traces` beside the project.
"""

import os
from pathlib import Path

import pytest

from tests.probe.traces.builder import idle_share
from trainlint.evidence.run import Phase
from trainlint_probe.traces.device import DeviceReading
from trainlint_probe.traces.idle import Cause
from trainlint_probe.traces.judge import judge
from trainlint_probe.traces.reading import TraceReading, read_trace

TRACES = Path(os.environ.get("TRAINLINT_TRACES") or Path(__file__).parents[3].parent / "shared" / "traces")

pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason=f"no traces in {TRACES}; TRAINLINT_TRACES may name others")


def within_ten_percent(value: float) -> object:
    return pytest.approx(value, rel=0.1)


def reading_of(name: str) -> tuple[TraceReading, DeviceReading]:
    path = TRACES / f"{name}.json.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    reading = read_trace(path)
    assert reading.device is not None
    return reading, reading.device


def names(reading: TraceReading) -> set[str]:
    return {finding.name for finding in judge(reading)}


def test_a100_training_is_blocked_for_13_ms_and_could_gain_1() -> None:
    reading, device = reading_of("a100-train-ddp")
    assert reading.step_ms == within_ten_percent(77.9)
    assert idle_share(reading) == within_ten_percent(0.15)
    syncs = device.syncs
    assert (syncs.count, syncs.blocked) == (10, within_ten_percent(13.2))
    assert syncs.recoverable is not None
    assert (syncs.recoverable.low, syncs.recoverable.high) == (within_ten_percent(0.42), within_ten_percent(1.29))
    assert reading.communication is not None
    assert reading.communication.ms == within_ten_percent(29.5)
    assert reading.communication.exposed == within_ten_percent(15.6)
    to_device = [copy for copy in device.copies if (copy.direction, copy.memory) == ("HtoD", "pinned")]
    assert sum(copy.bytes or 0 for copy in to_device) == within_ten_percent(70e6)
    assert to_device[0].gb_per_s == within_ten_percent(8)
    [adam] = device.launches.optimizers
    assert (adam.name, adam.launches) == ("Optimizer.step#FusedAdam.step", 8)


def test_a100_training_that_idles_while_blocked_is_inconclusive() -> None:
    reading, device = reading_of("a100-train-idle-while-blocked")
    assert reading.step_ms == within_ten_percent(216.1)
    assert idle_share(reading) == within_ten_percent(0.64)
    syncs = device.syncs
    assert (syncs.count, syncs.blocked, syncs.idle) == (15, within_ten_percent(153.7), within_ten_percent(92.8))
    assert syncs.recoverable is None
    assert reading.communication is not None
    assert reading.communication.ms == within_ten_percent(33.7)
    assert reading.communication.overlapped == pytest.approx(0.01, abs=0.01)
    assert any("the cost of the waits is unknown" in note for note in reading.notes)
    assert "host-sync" not in names(reading)


def test_v100_training_without_workers_waits_for_its_loader() -> None:
    reading, device = reading_of("v100-resnet50-workers0")
    assert reading.step_ms == within_ten_percent(174.6)
    assert reading.phases[Phase.DATA_WAIT] / reading.step_ms == within_ten_percent(0.398)
    assert idle_share(reading) == within_ten_percent(0.43)
    assert device.idle_causes[Cause.DATA_WAIT] > device.idle / 2
    assert (device.syncs.count, device.syncs.blocked) == (2, within_ten_percent(2.1))
    assert device.syncs.recoverable is not None
    assert device.syncs.recoverable.low == within_ten_percent(0.11)
    assert device.syncs.recoverable.high == within_ten_percent(2.0)
    [sgd] = device.launches.optimizers
    assert (sgd.launches, sgd.host_ms) == (483, within_ten_percent(18.5))
    assert device.arithmetic.tensor_core_share == 0
    assert names(reading) == {"loader-starvation", "tensor-cores-idle", "per-parameter-optimizer", "pageable-copy"}
    assert {str(copy.source) for copy in device.copies} == {"resnet50_profiler_api.py:44"}


def test_v100_training_with_workers_does_not() -> None:
    reading, device = reading_of("v100-resnet50-workers4")
    assert reading.step_ms == within_ten_percent(131.4)
    assert reading.phases[Phase.DATA_WAIT] / reading.step_ms == within_ten_percent(0.006)
    assert idle_share(reading) == within_ten_percent(0.23)
    assert device.syncs.recoverable is not None
    assert device.syncs.recoverable.low == within_ten_percent(0.13)
    assert device.syncs.recoverable.high == within_ten_percent(3.2)
    assert "loader-starvation" not in names(reading)


def test_h100_inference_waits_in_its_own_harness() -> None:
    """34 flash kernels are recorded: 24 of the step, which has 24 layers, and 10 of what was launched before it."""
    reading, device = reading_of("h100-qwen-inference")
    assert reading.step_ms == within_ten_percent(47.2)
    assert idle_share(reading) == within_ten_percent(0.08)
    syncs = device.syncs
    assert (syncs.count, syncs.blocked) == (2, within_ten_percent(14.1))
    assert syncs.recoverable is not None
    assert (syncs.recoverable.low, syncs.recoverable.high) == (within_ten_percent(0.31), within_ten_percent(0.54))
    assert {(site.operator, str(site.source).split(" ")[0]) for site in syncs.sites} == {
        ("cudaDeviceSynchronize", "run_torch_profiler"),
        ("aten::is_nonzero", "_ignore_causal_mask_sdpa"),
    }
    assert device.arithmetic.attention == {"flash": 24}
    assert {share.of.value: share.count for share in device.arithmetic.classes}["attention"] == 24


def test_mi300_training_is_a_step_ahead_of_its_device() -> None:
    """The host takes 15.9 ms a step, and the device 18.8 ms.

    Kernels of NCCL that start while the host is in the window take 12.5 ms a step, 10.5 ms of it exposed; but half of
    them were launched before. Those that the window launches take 15.7 ms.
    """
    reading, device = reading_of("mi300-resnet-checkpoint-train")
    assert reading.step_ms == within_ten_percent(15.9)
    assert reading.pace_ms == within_ten_percent(18.8)
    assert idle_share(reading) == pytest.approx(0.003, abs=0.001)
    assert device.syncs.count == 0
    assert reading.communication is not None
    assert reading.communication.ms == within_ten_percent(15.7)
    assert reading.communication.exposed == within_ten_percent(11.7)
    assert device.arithmetic.tensor_core_share == 1
    assert any("CPU ran ahead" in note for note in reading.notes)


def test_a100_training_waits_for_launches() -> None:
    reading, device = reading_of("a100-train-launch-bound")
    assert reading.step_ms == within_ten_percent(222.4)
    assert idle_share(reading) == within_ten_percent(0.76)
    assert device.syncs.count == 8
    assert device.launches.lag_ms == pytest.approx(0.002, abs=0.0005)
    assert device.launch_bound
    assert "launch-bound" in names(reading)


def test_memory_asked_of_the_driver_is_counted() -> None:
    _, device = reading_of("alexnet-cuda-sync-events")
    counts = {call: sum(s.count for s in device.driver if s.call == call) for call in ("cudaMalloc", "cudaFree")}
    assert counts == {"cudaMalloc": 24, "cudaFree": 15}


def test_a_trace_without_a_device_is_read() -> None:
    path = TRACES / "cpu-only.json.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    reading = read_trace(path)
    assert reading.device is None
    assert (reading.rank, reading.world_size) == (34, 300)
    assert reading.communication is not None
    assert reading.communication.exposed is None


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.json.gz")), ids=lambda path: path.name)
def test_parts_add_up(path: Path) -> None:
    reading = read_trace(path)
    assert sum(reading.phases.values()) == pytest.approx(reading.step_ms)
    if reading.device:
        device = reading.device
        assert sum(device.idle_causes.values()) == pytest.approx(device.idle)
        assert sum(item.share for item in device.arithmetic.classes) == pytest.approx(1)
        for site in device.syncs.sites:
            if site.recoverable:
                assert 0 <= site.recoverable.low <= site.recoverable.high <= site.blocked + 1e-9
