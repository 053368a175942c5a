"""When the device has nothing to do, and what it waits for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from enum import Enum

from trainlint_probe.traces.events import DeviceWork, HostRange
from trainlint_probe.traces.intervals import Span, overlap, subtract, total, union


class Cause(Enum):
    """Why a device is idle. Causes are exclusive: they add up to the idle time."""

    DATA_WAIT = "the CPU waits for a batch"
    HOST_SYNC = "the CPU is blocked in a wait for the GPU"
    ALLOCATION = "the CPU asks the driver for memory"
    COLLECTIVE = "the CPU waits for other ranks"
    LAUNCH = "the CPU has not launched the next work yet"
    OTHER = "the next work was launched and has not begun"
    """Latency of a launch, or a wait for another stream."""


def causes_of(
    idle: Sequence[Span],
    work: Sequence[DeviceWork],
    calls: Mapping[int, HostRange],
    host: Mapping[Cause, Sequence[Span]],
) -> dict[Cause, float]:
    """The idle milliseconds by cause.

    Where several hold at once, the first in the order of `Cause` counts: what the host does while it is late explains
    the lateness.

    Args:
        idle: when the device has nothing to do.
        work: of the device, sorted by start.
        calls: which call launched a piece of work, by correlation.
        host: when the host is known to wait, and for what.
    """
    left = list(idle)
    found: dict[Cause, float] = {}
    for cause in (Cause.DATA_WAIT, Cause.HOST_SYNC, Cause.ALLOCATION, Cause.COLLECTIVE):
        spans = union(host.get(cause, ()))
        found[cause] = total(overlap(left, spans))
        left = subtract(left, spans)
    late = union(_before_launch(idle, work, calls))
    found[Cause.LAUNCH] = total(overlap(left, late))
    found[Cause.OTHER] = total(subtract(left, late))
    return found


def _before_launch(idle: Sequence[Span], work: Sequence[DeviceWork], calls: Mapping[int, HostRange]) -> list[Span]:
    """Of each idle span the part that ends when the launch of the next work returns."""
    starts = [item.start for item in work]
    late: list[Span] = []
    for start, end in idle:
        at = bisect_left(starts, end)
        if at == len(work):
            late.append((start, end))  # nothing came any more, so nothing was launched
            continue
        correlation = work[at].correlation
        call = calls.get(correlation) if correlation is not None else None
        if call and call.start < end:
            late.append((start, min(call.end, end)))
    return late
