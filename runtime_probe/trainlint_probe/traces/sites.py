"""Waits, copies and requests for memory, one entry for what happens again and again at one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trainlint.evidence.interval import Interval
from trainlint_probe.traces import calls as names
from trainlint_probe.traces.copies import Copy
from trainlint_probe.traces.events import HostRange, Trace
from trainlint_probe.traces.places import CallContext, Source
from trainlint_probe.traces.steps import Window
from trainlint_probe.traces.syncs import Cost, conclusive, total


@dataclass(frozen=True, slots=True)
class SyncSite:
    """Waits of one kind at one place. Numbers are per step, times in milliseconds."""

    call: str
    """"cudaStreamSynchronize"."""
    operator: str
    """"aten::item"; the call again where no operator encloses it."""
    annotation: str
    source: Source | None
    copy: str
    """Which copy is waited for: "DtoH, pageable", or empty."""
    count: float
    blocked: float
    idle: float
    """Of the blocked time, how long the device had nothing to do."""
    recoverable: Interval | None
    """What a step would gain without these waits; None where the device idled too long to say."""


@dataclass(frozen=True, slots=True)
class CopySite:
    """Copies between host and device of one kind at one place. Numbers are per step, times in milliseconds."""

    direction: str
    memory: str
    """The host's: "pageable", "pinned", or empty where the trace does not tell."""
    source: Source | None
    operator: str
    count: float
    ms: float
    """While the device copies."""
    host_ms: float
    """While the call keeps the host."""
    bytes: float | None
    gb_per_s: float | None
    """10⁹ bytes per second, over all of them."""


@dataclass(frozen=True, slots=True)
class DriverSite:
    """Requests to the driver at one place: memory asked for or given back. Numbers are per step."""

    call: str
    """"cudaMalloc"."""
    source: Source | None
    operator: str
    count: float
    host_ms: float


def sync_sites(costs: Iterable[Cost], places: Mapping[HostRange, CallContext], window: Window) -> tuple[SyncSite, ...]:
    """Waits by place, those that block longest first."""
    groups: dict[tuple[str, str, CallContext], list[Cost]] = defaultdict(list)
    for cost in costs:
        copy = _described(cost.wait.copy) if cost.wait.copy else ""
        groups[cost.wait.call.name, copy, places[cost.wait.call]].append(cost)
    sites = []
    for (call, copy, place), group in groups.items():
        sites.append(
            SyncSite(
                call=call,
                operator=place.operator,
                annotation=place.annotation,
                source=place.source,
                copy=copy,
                count=len(group) / window.count,
                blocked=sum(cost.blocked for cost in group) / window.count,
                idle=sum(cost.idle for cost in group) / window.count,
                recoverable=total(group, window.count) if conclusive(group, window.ms) else None,
            )
        )
    return tuple(sorted(sites, key=lambda site: -site.blocked))


_CopyKind = tuple[str, str, Source | None, str]
"""The direction of copies, the kind of host memory, the line and the operator."""


def copy_sites(copies: Iterable[Copy], places: Mapping[HostRange, CallContext], window: Window) -> tuple[CopySite, ...]:
    """Copies by place, the longest first. Copies within a device are kernels' business and left out."""
    groups: dict[_CopyKind, list[Copy]] = defaultdict(list)
    for copy in copies:
        asked = copy.call.start if copy.call else copy.work.start
        if "H" in copy.direction and window.start <= asked < window.end:
            place = places.get(copy.call) if copy.call else None
            source, operator = (place.source, place.operator) if place else (None, "")
            groups[copy.direction, copy.memory, source, operator].append(copy)
    sites = [_copy_site(kind, group, window) for kind, group in groups.items()]
    return tuple(sorted(sites, key=lambda site: -site.ms))


def _copy_site(kind: _CopyKind, group: Sequence[Copy], window: Window) -> CopySite:
    direction, memory, source, operator = kind
    ms = sum(copy.work.end - copy.work.start for copy in group)
    sizes = [copy.work.bytes for copy in group if copy.work.bytes is not None]
    known = len(sizes) == len(group)
    return CopySite(
        direction=direction,
        memory=memory,
        source=source,
        operator=operator,
        count=len(group) / window.count,
        ms=ms / window.count,
        host_ms=sum(copy.call.end - copy.call.start for copy in group if copy.call) / window.count,
        bytes=sum(sizes) / window.count if known else None,
        gb_per_s=sum(sizes) / ms / 1e6 if known and ms else None,
    )


def driver_calls(trace: Trace, window: Window) -> list[HostRange]:
    """Calls of the window that ask the driver for memory of the device or give it back."""
    return [
        call for call in trace.calls if window.start <= call.start < window.end and names.asks_for_memory(call.name)
    ]


def driver_sites(
    calls: Sequence[HostRange], places: Mapping[HostRange, CallContext], window: Window
) -> tuple[DriverSite, ...]:
    """Requests for memory by place, the longest first."""
    groups: dict[tuple[str, Source | None, str], list[HostRange]] = defaultdict(list)
    for call in calls:
        groups[call.name, places[call].source, places[call].operator].append(call)
    sites = [
        DriverSite(
            name, source, operator, len(group) / window.count, sum(c.end - c.start for c in group) / window.count
        )
        for (name, source, operator), group in groups.items()
    ]
    return tuple(sorted(sites, key=lambda site: -site.host_ms))


def _described(copy: Copy) -> str:
    return ", ".join(part for part in (copy.direction, copy.memory) if part)
