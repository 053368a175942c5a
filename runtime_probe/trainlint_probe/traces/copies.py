"""Copies between host and device."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trainlint_probe.traces.events import DeviceWork, HostRange, Trace, Work

_NAME = re.compile(r"Memcpy (?P<direction>[A-Z]to[A-Z]|PtoP)(?: \((?P<source>\w+) -> (?P<target>\w+)\))?")


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy by a device."""

    work: DeviceWork
    direction: str
    """"HtoD", "DtoH", "DtoD" or "PtoP"; empty where the trace does not tell."""
    memory: str
    """The host's memory: "pageable" or "pinned"; empty where the trace does not tell, as on ROCm."""
    call: HostRange | None
    """The call that asked for it."""


def copies_of(trace: Trace, calls: Mapping[int, HostRange]) -> Iterator[Copy]:
    """All copies of a trace, in the order of their starts."""
    for work in trace.work:
        if work.kind is Work.COPY:
            direction, memory = _described(work.name)
            call = calls.get(work.correlation) if work.correlation is not None else None
            yield Copy(work, direction, memory, call)


def _described(name: str) -> tuple[str, str]:
    match = _NAME.search(name)
    if not match:
        return "", ""
    ends = {str(match[end]).lower() for end in ("source", "target")}
    return match["direction"], next((memory for memory in ("pageable", "pinned") if memory in ends), "")
