"""What one device did, and what its host waited for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trainlint.evidence.interval import Interval
from trainlint_probe.traces.copies import Copy
from trainlint_probe.traces.device_work.arithmetic import Arithmetic, arithmetic_of
from trainlint_probe.traces.device_work.communication import host_collectives
from trainlint_probe.traces.device_work.launched_work import asked_in, launch_times, pace
from trainlint_probe.traces.events import Device, DeviceWork, HostRange, Trace, Work
from trainlint_probe.traces.idle import Cause, causes_of
from trainlint_probe.traces.intervals import Coverage, subtract, total
from trainlint_probe.traces.launches import Launches, launches_of
from trainlint_probe.traces.phases import data_waits
from trainlint_probe.traces.places import places_of
from trainlint_probe.traces.sites import (
    CopySite,
    DriverSite,
    SyncSite,
    copy_sites,
    driver_calls,
    driver_sites,
    sync_sites,
)
from trainlint_probe.traces.steps import Window
from trainlint_probe.traces.syncs import Cost, Wait, conclusive, costs_of
from trainlint_probe.traces.syncs import total as recoverable_of


@dataclass(frozen=True, slots=True)
class Syncs:
    """All waits of the host for the device, per step."""

    count: float
    blocked: float
    idle: float
    recoverable: Interval | None
    """What a step would gain without any of them; None where the device idled too long to say."""
    sites: tuple[SyncSite, ...]


@dataclass(frozen=True, slots=True)
class DeviceReading:
    """What one device did. Times are milliseconds per step."""

    number: int
    about: Device | None
    idle: float
    idle_causes: Mapping[Cause, float]
    paced_ms: float | None
    """What the device needs from one step to the next for the work that the window asked of it."""
    syncs: Syncs
    copies: tuple[CopySite, ...]
    driver: tuple[DriverSite, ...]
    arithmetic: Arithmetic
    launches: Launches
    launch_bound: bool


def busiest(work: Iterable[DeviceWork]) -> int | None:
    """The number of the device that works longest; None without any work."""
    ms: dict[int, float] = defaultdict(float)
    for item in work:
        ms[item.device] += item.end - item.start
    return max(ms, key=lambda number: ms[number]) if ms else None


def device_of(
    trace: Trace, number: int, window: Window, copies: Sequence[Copy], waits: Sequence[Wait]
) -> DeviceReading:
    """What a device did in a window."""
    work = [item for item in trace.work if item.device == number]
    calls = trace.calls_by_correlation()
    times = launch_times(work, calls)
    asked = asked_in(window, work, times)
    busy = Coverage((item.start, item.end) for item in work)
    kernels = Coverage((item.start, item.end) for item in work if item.kind is Work.KERNEL)
    costs = costs_of(waits, window.start, window.end, busy, kernels)
    requests = driver_calls(trace, window)
    located = [cost.wait.call for cost in costs] + [copy.call for copy in copies if copy.call] + requests
    places = places_of(trace, located)
    idle = subtract([(window.start, window.end)], busy.spans)
    causes = causes_of(idle, work, calls, _host_spans(trace, waits, requests))
    launches = launches_of(trace, asked, calls, window)
    return DeviceReading(
        number=number,
        about=next((item for item in trace.devices if item.number == number), None),
        idle=total(idle) / window.count,
        idle_causes={cause: ms / window.count for cause, ms in causes.items() if ms},
        paced_ms=pace(window, work, times),
        syncs=_syncs(costs, sync_sites(costs, places, window), window),
        copies=copy_sites((copy for copy in copies if copy.work.device == number), places, window),
        driver=driver_sites(requests, places, window),
        arithmetic=arithmetic_of(trace, asked, calls, window),
        launches=launches,
        launch_bound=launches.bound(causes[Cause.LAUNCH] / window.ms),
    )


def _host_spans(
    trace: Trace, waits: Sequence[Wait], requests: Sequence[HostRange]
) -> dict[Cause, Sequence[tuple[float, float]]]:
    """When the host did what may leave the device idle."""
    return {
        Cause.DATA_WAIT: data_waits(trace),
        Cause.HOST_SYNC: [(wait.start, wait.end) for wait in waits],
        Cause.ALLOCATION: [(call.start, call.end) for call in requests],
        Cause.COLLECTIVE: host_collectives(trace),
    }


def _syncs(costs: Sequence[Cost], sites: tuple[SyncSite, ...], window: Window) -> Syncs:
    return Syncs(
        count=len(costs) / window.count,
        blocked=sum(cost.blocked for cost in costs) / window.count,
        idle=sum(cost.idle for cost in costs) / window.count,
        recoverable=recoverable_of(costs, window.count) if conclusive(costs, window.ms) else None,
        sites=sites,
    )
