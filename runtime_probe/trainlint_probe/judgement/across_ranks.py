"""What one rank cannot know by itself: which of its time in collectives is the wait for others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Run, Seen
from trainlint.symptoms import Symptom

_EXCHANGES = frozenset({Symptom.COLLECTIVE, Symptom.REDUCED_TOO_EARLY})


def with_others(run: Run, runs: Sequence[Run]) -> Run:
    """A run, with what the runs of all ranks, itself among them, tell of its lines."""
    ranks = [other for other in runs if other.steps]
    if len(ranks) < 2:
        return run
    return replace(run, seen=tuple(_bounded(item, run, ranks) for item in run.seen))


def _bounded(item: Seen, run: Run, ranks: Sequence[Run]) -> Seen:
    """A collective on the host, with what a step could gain without it.

    Surely gained is what the fastest call of any rank takes, as often as the line runs. What more a call takes is a
    wait for other ranks, or for a core, which may move to the next collective.
    """
    if item.symptom not in _EXCHANGES or item.recoverable is not None or item.device not in ("", "cpu"):
        return item
    spent = [_per_step(item.at, item.what, other) for other in ranks]
    if any(ms is None for ms in spent) or item.host_ms is None:
        return item
    own = _per_step(item.at, item.what, run) or 0.0
    fastest = [
        other_item.fastest_ms
        for other in ranks
        for other_item in other.seen
        if (other_item.at, other_item.what) == (item.at, item.what)
    ]
    known = [ms for ms in fastest if ms is not None]
    surely = min(known) * item.calls / len(run.steps) if len(known) == len(fastest) else 0.0
    return replace(item, recoverable=Interval(min(surely, own), own))


def _per_step(at: Line, what: str, run: Run) -> float | None:
    times = [item.host_ms for item in run.seen if (item.at, item.what) == (at, what) and item.host_ms is not None]
    return sum(times) / len(run.steps) if times else None
