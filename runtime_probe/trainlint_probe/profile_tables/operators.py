"""How much time each operator of PyTorch takes by itself, on the host and on the device."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from trainlint_probe.profile_tables.innermost import Innermost
from trainlint_probe.traces.events import DeviceWork, HostRange, Trace
from trainlint_probe.traces.intervals import total, union
from trainlint_probe.traces.steps import Window


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """All calls of one operator, per step."""

    name: str
    calls: float
    own_ms: float
    """The time of the host, without that of operators which it calls."""
    device_ms: float | None = None
    """The time of the work that it asked a device for, copies included; None where no device was recorded."""


@dataclass(frozen=True, slots=True)
class Operators:
    """The operators of a step, that with most time first: the device's where there is one, or else the host's."""

    rows: tuple[OperatorTime, ...]
    covered_ms: float
    """For how much of a step some thread of the host was in an operator. Where several are at once, the rows together
    are more."""
    device_ms: float | None = None
    """All work of the device that a step asked for."""
    device_covered_ms: float | None = None
    """Of that, what an operator asked for."""


def operators_of(
    trace: Trace, window: Window, asked: Sequence[DeviceWork], calls: dict[int, HostRange]
) -> Operators | None:
    """The operators of a window; None where the trace has none there.

    Args:
        trace: all of it.
        window: the steps that are read.
        asked: the device's work that these steps asked for.
        calls: which call asked for a piece of work, by their common number.
    """
    innermost = Innermost(trace.operators)
    own: dict[str, float] = defaultdict(float)
    spans = []
    for item, start, end in innermost.within(window.start, window.end):
        own[item.name] += end - start
        spans.append((start, end))
    if not own:
        return None
    often = Counter(item.name for item in trace.operators if window.start <= item.start < window.end)
    device: dict[str, float] = defaultdict(float)
    for work in asked:
        call = calls.get(work.correlation) if work.correlation is not None else None
        operator = innermost.at(call.thread, call.start) if call is not None else None
        if operator is not None:
            device[operator.name] += work.end - work.start
    has_device = bool(trace.work)
    rows = [
        OperatorTime(
            name,
            often[name] / window.count,
            ms / window.count,
            device[name] / window.count if has_device else None,
        )
        for name, ms in own.items()
    ]
    return Operators(
        tuple(sorted(rows, key=lambda row: (-(row.device_ms or 0.0), -row.own_ms, row.name))),
        total(union(spans)) / window.count,
        sum(work.end - work.start for work in asked) / window.count if has_device else None,
        sum(device.values()) / window.count if has_device else None,
    )
