"""Which lines of the script make the device exchange with other ranks while it computes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trainlint_probe.traces.device_work.communication import arithmetic, communicates
from trainlint_probe.traces.events import DeviceWork, HostRange, Trace
from trainlint_probe.traces.intervals import Span, subtract, total, union
from trainlint_probe.traces.places import Source, places_of
from trainlint_probe.traces.steps import Window


@dataclass(frozen=True, slots=True)
class Exchange:
    """The collectives that a line asks for, in milliseconds per step."""

    source: Source
    ms: float
    exposed: float
    """While no other kernel runs. The wait for slower ranks is part of it."""


def exchanges_of(
    trace: Trace,
    work: Iterable[DeviceWork],
    asked: Iterable[DeviceWork],
    calls: Mapping[int, HostRange],
    window: Window,
) -> tuple[Exchange, ...]:
    """The collectives of a window by the lines that are known exactly, the most exposed first.

    Args:
        trace: the events of the host.
        work: all of the device; whatever runs beside a collective hides it.
        asked: what the window asked for.
        calls: by their correlation.
        window: the steps.
    """
    launched = [(item, calls.get(item.correlation or 0)) for item in asked if communicates(item)]
    places = places_of(trace, (call for _, call in launched if call is not None))
    spans: dict[Source, list[Span]] = defaultdict(list)
    for item, call in launched:
        source = places[call].source if call is not None else None
        if source is not None and source.exact:
            spans[source].append((item.start, item.end))
    computing = arithmetic(work)
    found = []
    for source, of_line in spans.items():
        together = union(of_line)
        exposed = total(subtract(together, computing))
        found.append(Exchange(source, total(together) / window.count, exposed / window.count))
    return tuple(sorted(found, key=lambda exchange: -exchange.exposed))
