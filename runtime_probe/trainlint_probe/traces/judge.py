"""What is wrong with a run, as its traces show it: plain data, sorted by what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.evidence.interval import Interval
from trainlint.evidence.run import Phase
from trainlint_probe.traces.device import DeviceReading
from trainlint_probe.traces.idle import Cause
from trainlint_probe.traces.places import Source
from trainlint_probe.traces.ranks import RanksReading
from trainlint_probe.traces.reading import TraceReading
from trainlint_probe.traces.sites import SyncSite
from trainlint_probe.wording.units import duration, part, span

NOTICEABLE = 0.01
"""The share of a step from which a cost counts: steps of one training differ by as much."""
FROM_PAGEABLE = "HtoD, pageable"
"""Which copy a wait is for (`SyncSite.copy`) where the cure is pinned memory, not to wait at another place."""
STARVED = 0.05
"""The share of a step from which a wait for batches is starvation: a loader that keeps up still takes some time to hand
a batch over, and the first of an epoch always waits."""
EXPOSED = 0.1
"""The share of a step from which exposed communication is worth a change. Some of it cannot be hidden: that of the
last bucket, after backward, and what the first layers of the next forward need."""
RECORDING = 2.0
"""How much longer a host may take because it is recorded. With everything on, PyTorch's profiler made steps of 3 ms of
many small operators twice as long; with its defaults, a fifth longer."""
TENSOR_CORES_UNUSED = 0.5
"""Below this share of eligible arithmetic, tensor cores are called idle. Small products and the first convolution often
run elsewhere in a mixed-precision training, too."""
WORTH_TENSOR_CORES = 0.1
"""... if the arithmetic elsewhere takes this share of a step: less gains too little for a change of precision."""
FIRST_WITH_TENSOR_CORES = (7, 0)
"""The compute capability of NVIDIA's Volta."""
PER_PARAMETER_KERNELS = 100
"""Kernels per step of an optimizer, most of them for one parameter each, from which updating many at once pays: a
launch takes the host 5 to 10 µs."""
MANY_AT_ONCE = 0.5
"""An optimizer with less than this share of kernels for many parameters goes parameter by parameter."""
STRAGGLING = 0.05
"""The share of a step for which the others wait, from which a rank is a straggler. Ranks differ by a few percent
because batches do."""
FRAGMENTED = 0.2
"""The share of reserved memory in holes from which a training that runs out of memory should look at them first."""


@dataclass(frozen=True, slots=True)
class RuntimeFinding:
    """Something that only a run can show."""

    name: str
    """What it is called: "loader-starvation"."""
    sentence: str
    """What was seen, with numbers."""
    cost: Interval | None
    """What it costs, in milliseconds per step: at least the time that is surely lost, at most all that it touches.

    A fix may regain less than was lost: without one wait, the next may be longer.
    """
    share: Interval | None
    """The same, of a step, 0 to 1."""
    source: Source | None = None


def judge(reading: TraceReading) -> list[RuntimeFinding]:
    """What one trace shows to be wrong, the most expensive first."""
    found = [*_starvation(reading), *_exposed(reading)]
    if reading.device:
        found += [
            *_pageable(reading, reading.device),
            *_syncs(reading, reading.device),
            *_launches(reading, reading.device),
            *_tensor_cores(reading, reading.device),
            *_attention(reading, reading.device),
            *_optimizers(reading, reading.device),
            *_driver(reading, reading.device),
        ]
    return sorted(found, key=lambda item: -(item.cost.high if item.cost else 0.0))


def judge_ranks(reading: RanksReading) -> list[RuntimeFinding]:
    """What the traces of several ranks show only together."""
    slowest = reading.slowest
    if slowest is None or slowest.behind_ms < STRAGGLING * reading.step_ms:
        return []
    per = reading.ranks[0].per
    return [
        finding(
            "straggling-rank",
            f"The other ranks spend {duration(slowest.others_ms)} {per} in communication, rank {slowest.rank} only "
            f"{duration(slowest.communication_ms)}: they wait {part(slowest.behind_ms, reading.step_ms)} {per}.",
            Interval(slowest.behind_ms, slowest.behind_ms),
            reading.step_ms,
        )
    ]


def finding(name: str, sentence: str, cost: Interval, step_ms: float, source: Source | None = None) -> RuntimeFinding:
    """What costs a step so much, with the share that this is of a step."""
    return RuntimeFinding(name, sentence, cost, Interval(cost.low / step_ms, cost.high / step_ms), source)


def _starvation(reading: TraceReading) -> Iterator[RuntimeFinding]:
    wait = reading.phases.get(Phase.DATA_WAIT, 0.0)
    if wait < STARVED * reading.step_ms:
        return
    waits = f"{part(wait, reading.step_ms)} {reading.per} ({wait / reading.step_ms:.1%})"
    sentence = f"The training waits {waits} for batches"
    lost = wait
    if reading.device:
        lost = reading.device.idle_causes.get(Cause.DATA_WAIT, 0.0)
        sentence += f", and the GPU has nothing to do for {duration(lost)} of it"
    yield finding("loader-starvation", f"{sentence}.", Interval(lost, wait), reading.step_ms)


def _exposed(reading: TraceReading) -> Iterator[RuntimeFinding]:
    communication = reading.communication
    if not communication or communication.exposed is None or communication.exposed < EXPOSED * reading.pace_ms:
        return
    yield finding(
        "exposed-communication",
        f"Communication takes {part(communication.ms, reading.pace_ms)} {reading.per}, and no arithmetic runs beside "
        f"it for {duration(communication.exposed)} of that ({communication.overlapped:.0%} overlapped).",
        Interval(communication.exposed, communication.exposed),
        reading.pace_ms,
    )


def _pageable(reading: TraceReading, device: DeviceReading) -> Iterator[RuntimeFinding]:
    for site in device.syncs.sites:
        if site.recoverable and site.copy == FROM_PAGEABLE and _is_noticeable(site.recoverable, reading):
            what = f"{site.count:.1f} copies {reading.per} from pageable memory to the GPU hold the CPU up"
            yield _wait("pageable-copy", what, site.blocked, _place_text(site), site.recoverable, reading, site.source)


def _syncs(reading: TraceReading, device: DeviceReading) -> Iterator[RuntimeFinding]:
    """One for each place that costs enough, and one for all others if they do together."""
    rest: list[tuple[SyncSite, Interval]] = []
    for site in device.syncs.sites:
        if site.recoverable is None or site.copy == FROM_PAGEABLE:
            continue
        if not _is_noticeable(site.recoverable, reading):
            rest.append((site, site.recoverable))
            continue
        what = f"{site.count:.1f} waits {reading.per} for the GPU ({site.operator}) block the CPU"
        yield _wait("host-sync", what, site.blocked, _place_text(site), site.recoverable, reading, site.source)
    together = Interval(sum(gain.low for _, gain in rest), sum(gain.high for _, gain in rest))
    if _is_noticeable(together, reading):
        count, blocked = sum(site.count for site, _ in rest), sum(site.blocked for site, _ in rest)
        what = f"{count:.1f} waits {reading.per} for the GPU block the CPU"
        yield _wait("host-sync", what, blocked, f" at {len(rest)} places", together, reading, None)


def _is_noticeable(gain: Interval, reading: TraceReading) -> bool:
    return gain.high >= NOTICEABLE * reading.pace_ms


def _place_text(site: SyncSite) -> str:
    return f" at {site.source}" if site.source else f" in {site.annotation}" if site.annotation else ""


def _wait(
    name: str, what: str, blocked: float, at: str, gain: Interval, reading: TraceReading, source: Source | None
) -> RuntimeFinding:
    return finding(
        name,
        f"{what} for {part(blocked, reading.pace_ms)}{at}; without them {span(gain)} {reading.per} could be gained.",
        gain,
        reading.pace_ms,
        source,
    )


def _launches(reading: TraceReading, device: DeviceReading) -> Iterator[RuntimeFinding]:
    if not device.launch_bound or device.launches.lag_ms is None:
        return
    idle = device.idle_causes.get(Cause.LAUNCH, 0.0)
    yield finding(
        "launch-bound",
        f"The GPU has nothing to do for {part(idle, reading.step_ms)} {reading.per} because its next kernel is not "
        f"launched yet: {device.launches.per_step:.0f} launches {reading.per}, and half of the kernels start within "
        f"{duration(device.launches.lag_ms)} of theirs. (Recording slows launches, too.)",
        Interval(max(idle - reading.step_ms * (1 - 1 / RECORDING), 0.0), idle),
        reading.step_ms,
    )


def _tensor_cores(reading: TraceReading, device: DeviceReading) -> Iterator[RuntimeFinding]:
    about, arithmetic = device.about, device.arithmetic
    used = arithmetic.tensor_core_share
    if (
        about is None
        or about.amd
        or about.capability is None
        or about.capability < FIRST_WITH_TENSOR_CORES
        or used is None
        or used >= TENSOR_CORES_UNUSED
        or arithmetic.plain_ms < WORTH_TENSOR_CORES * reading.pace_ms
    ):
        return
    yield finding(
        "tensor-cores-idle",
        f"Matrix products and convolutions take {part(arithmetic.plain_ms, reading.pace_ms)} {reading.per} without "
        f"the tensor cores of this {about.name}, which do {used:.0%} of such work.",
        Interval(0.0, arithmetic.plain_ms),
        reading.pace_ms,
    )


def _attention(reading: TraceReading, device: DeviceReading) -> Iterator[RuntimeFinding]:
    ms = device.arithmetic.math_attention_ms
    if ms is None or ms < NOTICEABLE * reading.pace_ms:
        return
    yield finding(
        "attention-math-path",
        f"{device.arithmetic.attention['math']:.0f} attentions {reading.per} are computed operator by operator: "
        f"{part(ms, reading.pace_ms)} in forward alone.",
        Interval(0.0, ms),
        reading.pace_ms,
    )


def _optimizers(reading: TraceReading, device: DeviceReading) -> Iterator[RuntimeFinding]:
    for item in device.launches.optimizers:
        host_ms = item.host_ms * item.steps / reading.window.count
        if (
            item.kernels >= PER_PARAMETER_KERNELS
            and item.many_at_once < MANY_AT_ONCE
            and host_ms >= NOTICEABLE * reading.step_ms
        ):
            name = item.name.removeprefix("Optimizer.step#")
            yield finding(
                "per-parameter-optimizer",
                f"Each {name} launches {item.launches:.0f} kernels, parameter by parameter, which takes the CPU "
                f"{duration(item.host_ms)}.",
                Interval(0.0, host_ms),
                reading.step_ms,
            )


def _driver(reading: TraceReading, device: DeviceReading) -> Iterator[RuntimeFinding]:
    if not reading.window.dropped:
        return  # the first steps of a training ask for memory, rightly
    host_ms = sum(site.host_ms for site in device.driver)
    count = sum(site.count for site in device.driver)
    if count < 1 or host_ms < NOTICEABLE * reading.step_ms:
        return
    first = device.driver[0]
    at = f", most of it at {first.source}" if first.source else f", most of it in {first.operator}"
    yield finding(
        "driver-allocation",
        f"The driver is asked for GPU memory or given it back {count:.1f} times {reading.per}, which takes "
        f"{duration(host_ms)}{at}: memory is short, or the cache is emptied.",
        Interval(min(device.idle_causes.get(Cause.ALLOCATION, 0.0), host_ms), host_ms),
        reading.step_ms,
        first.source,
    )
