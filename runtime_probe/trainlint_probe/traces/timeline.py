"""One step of a trace as stretches of time, for a picture: what the host does, and what the device does meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import median

from trainlint.evidence import Phase
from trainlint_probe.traces.copies import copies_of
from trainlint_probe.traces.device_work.kernels import KernelClass, kind_of
from trainlint_probe.traces.events import DeviceWork, Trace, Work
from trainlint_probe.traces.intervals import Span, bridged, overlap, union
from trainlint_probe.traces.phases import phase_spans
from trainlint_probe.traces.places import CallContext, places_of
from trainlint_probe.traces.steps import window_of
from trainlint_probe.traces.syncs import waits_of

FINEST = 1 / 800
"""Of a step: narrower gaps are closed, for no picture on a screen could show them."""


@dataclass(frozen=True, slots=True)
class WaitInStep:
    """The host waits for the device."""

    start: float
    end: float
    place: str
    """Whose wait it is: "train.py:78", or the operator, with what is annotated around it, where no line is known."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A step of middling length. All times are milliseconds since its start; gaps below `finest` are closed."""

    number: int
    """Which of the window's steps it is, from 1."""
    of: int
    """How many steps the window has; 0 where they are not told apart, and the timeline is that of the whole window."""
    ms: float
    finest: float
    phases: Mapping[Phase, tuple[Span, ...]]
    """What the host does."""
    waits: tuple[WaitInStep, ...]
    kernels: tuple[Span, ...]
    """What the device computes. Empty, like the two below, where the trace has no work of a device."""
    copies: tuple[Span, ...]
    communication: tuple[Span, ...]


def timeline_of(trace: Trace) -> Timeline:
    """The step whose length is nearest to the median's; the whole window where steps are not told apart.

    Where several devices work, theirs is the work of all.
    """
    window = window_of(trace)
    steps = window.steps or ((window.start, window.end),)
    middle = median(end - start for start, end in steps)
    step = min(steps, key=lambda span: abs(span[1] - span[0] - middle))
    start, end = step
    finest = (end - start) * FINEST

    def shown(spans: Iterable[Span]) -> tuple[Span, ...]:
        merged = bridged(overlap(union(spans), [step]), finest)
        return tuple((low - start, high - start) for low, high in merged)

    copies = list(copies_of(trace, trace.calls_by_correlation()))
    waits = waits_of(trace, copies)
    phases = phase_spans(trace, replace(window, start=start, end=end, steps=(step,)), copies, waits)
    inside = [wait for wait in waits if start <= wait.start < end]
    places = places_of(trace, [wait.call for wait in inside])

    def of_device(*what: str) -> tuple[Span, ...]:
        return shown((item.start, item.end) for item in trace.work if _work_name(item) in what)

    return Timeline(
        number=steps.index(step) + 1,
        of=len(window.steps),
        ms=end - start,
        finest=finest,
        phases={phase: shown(spans) for phase, spans in phases.items()},
        waits=tuple(
            WaitInStep(wait.start - start, min(wait.end, end) - start, _words(places[wait.call])) for wait in inside
        ),
        kernels=of_device("kernel"),
        copies=of_device("copy", "memset"),
        communication=of_device("communication"),
    )


def _work_name(item: DeviceWork) -> str:
    is_collective = item.kind is Work.KERNEL and kind_of(item.name).of is KernelClass.COMMUNICATION
    return "communication" if is_collective else item.kind.value


def _words(place: CallContext) -> str:
    if place.source:
        return str(place.source)
    return f"{place.operator} in {place.annotation}" if place.annotation else place.operator
