"""Calls that take much of a training's time, and of which it can often do without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Run, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.same_line import COSTLY
from trainlint_probe.judgement.verdicts import THRESHOLD, timed
from trainlint_probe.traces.judge import RuntimeFinding, finding
from trainlint_probe.traces.places import Source
from trainlint_probe.wording import units

_AFTER_A_CALL = 0.5
"""How much more than its own time may be gained without a call. A copy of a model pushes out of the caches what the
next step needs, and a file is still being written when `torch.save` has returned. On a virtual machine with two cores,
scripts gained up to 1.3 times the time of a copy, and 1.7 times that of a checkpoint (`benchmarks.comes_true`), which
this covers together with `BETWEEN_RUNS`."""


def costly_calls(run: Run) -> Iterator[RuntimeFinding]:
    """Calls of which a training can often do without, and that take much of its time, whether a rule knows their line
    or not. What they take is the most that could be gained: a checkpoint is needed, though perhaps less often.
    """
    step = fmean(item.ms for item in run.steps)
    spent: dict[Line, list[Seen]] = {}
    for item in run.seen:
        if item.symptom in COSTLY and item.device in ("", "cpu") and item.host_ms:
            spent.setdefault(item.at, []).append(item)
    for at, items in spent.items():
        ms = sum(item.host_ms or 0.0 for item in items) / len(run.steps)
        if ms >= THRESHOLD * step:
            what = " and ".join(dict.fromkeys(item.what for item in items))
            sentence = f"{what} takes {units.part(ms, step)} of each step ({ms / step:.1%})"
            cost = _cost_of_calls(run, items, step)
            yield finding("costly-call", f"{sentence}.", cost, step, Source(at.path, at.line))


def _cost_of_calls(run: Run, items: Sequence[Seen], step: float) -> Interval:
    """Milliseconds per step that could be gained without the calls of a line."""
    # Python collects by itself what must be collected: a call in the steps is surely gained.
    is_vain = all(item.symptom is Symptom.GARBAGE_COLLECTION for item in items)
    known = timed(items, len(run.steps))
    surely = known.low if is_vain and run.device == "cpu" else 0.0
    return Interval(min(surely, step), min(known.high * (1 + _AFTER_A_CALL), step))
