"""How much work the host hands the device at a time, and whether the device waits for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from trainlint_probe.traces import calls as names
from trainlint_probe.traces.calls_in_ranges import CallsInRanges
from trainlint_probe.traces.device_work.kernels import kind_of
from trainlint_probe.traces.events import DeviceWork, HostRange, Trace, Work
from trainlint_probe.traces.steps import Window

LAUNCH_BOUND_IDLE = 0.2
"""From this share of a step on in which the device idles because its next work is not launched yet, it is worth
launching less often. Below it, a step could gain no more than what noise between runs often is."""
SHORT_LAG_MS = 0.05
"""A kernel that starts this soon after its launch found an empty queue. A launch takes 5 to 20 µs to get through; the
lag behind a queue is that of the whole queue, milliseconds."""


@dataclass(frozen=True, slots=True)
class OptimizerLaunches:
    """What one optimizer's steps ask of the device."""

    name: str
    """The annotation: "Optimizer.step#SGD.step"."""
    steps: int
    launches: float
    """Per step of this optimizer."""
    kernels: float
    """Per step of this optimizer."""
    many_at_once: float
    """Of its kernels, the share that updates many parameters at once (foreach, fused), 0 to 1."""
    host_ms: float
    """Per step of this optimizer."""


@dataclass(frozen=True, slots=True)
class Launches:
    """How the host launches."""

    per_step: float
    kernels_per_step: float
    """More than launches where graphs are launched whole."""
    lag_ms: float | None
    """From the return of a launch to the kernel's start: half of all kernels start sooner. Never below 0."""
    optimizers: tuple[OptimizerLaunches, ...]

    def bound(self, late_share: float) -> bool:
        """Whether the device waits for launches, `late_share` of the window being idle for want of them."""
        return self.lag_ms is not None and self.lag_ms <= SHORT_LAG_MS and late_share >= LAUNCH_BOUND_IDLE


def launches_of(trace: Trace, work: Iterable[DeviceWork], calls: Mapping[int, HostRange], window: Window) -> Launches:
    """The launches of a window, `work` being what they asked for."""
    launched = [call for call in trace.calls if names.launches(call.name)]
    inside = [call for call in launched if window.start <= call.start < window.end]
    kernels = [item for item in work if item.kind is Work.KERNEL]
    lags = [
        max(item.start - call.end, 0.0)
        for item in kernels
        if item.correlation is not None and (call := calls.get(item.correlation))
    ]
    return Launches(
        per_step=len(inside) / window.count,
        kernels_per_step=len(kernels) / window.count,
        lag_ms=median(lags) if lags else None,
        optimizers=tuple(_optimizers(trace, inside, kernels, calls, window)),
    )


def _optimizers(
    trace: Trace,
    launched: Sequence[HostRange],
    kernels: Sequence[DeviceWork],
    calls: Mapping[int, HostRange],
    window: Window,
) -> Iterator[OptimizerLaunches]:
    steps: dict[str, list[HostRange]] = defaultdict(list)
    for item in trace.annotations:
        if item.name.startswith("Optimizer.step#") and window.start <= item.start < window.end:
            steps[item.name].append(item)
    for name, ranges in steps.items():
        inside = CallsInRanges(ranges)
        own = [item for item in kernels if inside.holds(calls.get(item.correlation or -1))]
        at_once = sum(kind_of(item.name).path != "" for item in own)
        yield OptimizerLaunches(
            name=name,
            steps=len(ranges),
            launches=sum(inside.holds(call) for call in launched) / len(ranges),
            kernels=len(own) / len(ranges),
            many_at_once=at_once / len(own) if own else 0.0,
            host_ms=sum(item.end - item.start for item in ranges) / len(ranges),
        )
