"""What a trace tells of the lines that were seen at work: how long the device really held each of them up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Run, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.verdicts import joint_gain
from trainlint_probe.traces.reading import TraceReading

_WAITS = frozenset({Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE})


def waits_in(reading: TraceReading, steps: int) -> tuple[Seen, ...]:
    """The waits for a device whose lines a trace knows; times are scaled to so many steps."""
    if reading.device is None:
        return ()
    traced = len(reading.steps_ms) or 1
    return tuple(
        Seen(
            at=Line(site.source.path, site.source.line),
            symptom=Symptom.HOST_TO_DEVICE if site.copy.startswith("HtoD") else Symptom.HOST_SYNC,
            what=site.operator,
            calls=round(site.count * traced),
            host_ms=site.blocked * steps,
            device="cuda",
            recoverable=site.recoverable,
            steps=traced,
        )
        for site in reading.device.syncs.sites
        if site.source is not None and site.source.exact
    )


def with_recoverable(run: Run, reading: TraceReading) -> Run:
    """The run, with the waits for the device at lines that the trace knows, and what its steps would gain without each.

    The trace is of a few more steps of the same process. A line that waited in the run and not in the trace keeps its
    host time alone: these steps may have taken another way.
    """
    if reading.device is None:
        return run
    gains: dict[Line, list[Interval | None]] = defaultdict(list)
    for site in reading.device.syncs.sites:
        if site.source is not None and site.source.exact:
            gains[Line(site.source.path, site.source.line)].append(site.recoverable)
    exposed = {Line(item.source.path, item.source.line): item.exposed for item in reading.exchanges}
    known = {(item.at, item.symptom) for item in run.seen}
    more = (item for item in waits_in(reading, len(run.steps)) if (item.at, item.symptom) not in known)
    with_gains = (_with(item, gains.get(item.at)) for item in (*run.seen, *more))
    return replace(run, seen=tuple(_with_exposed(item, exposed.get(item.at)) for item in with_gains))


def _with(item: Seen, gains: Iterable[Interval | None] | None) -> Seen:
    known = [gain for gain in gains or () if gain is not None]
    if item.symptom not in _WAITS or not known:
        return item
    return replace(item, recoverable=joint_gain(known))


def _with_exposed(item: Seen, exposed: float | None) -> Seen:
    """A collective of the device could be hidden, or be gone, for as long as nothing is computed beside it, at most."""
    if item.symptom is not Symptom.COLLECTIVE or exposed is None:
        return item
    return replace(item, recoverable=Interval(0.0, exposed))
