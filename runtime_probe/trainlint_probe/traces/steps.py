"""Where steps begin and end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from trainlint_probe.traces.events import HostRange, Trace
from trainlint_probe.traces.intervals import Span

_STEP = re.compile(r"ProfilerStep#?\s*(\d+)")
_OPTIMIZER = re.compile(r"Optimizer\.step#(\w+)")


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a trace that is judged: whole steps, one after the other."""

    start: float
    end: float
    steps: tuple[Span, ...]
    """Empty where the trace does not tell steps apart."""
    marks: str
    """What the steps were told apart by: "ProfilerStep", "Optimizer.step#SGD", or nothing."""
    dropped: int = 0
    """How many recorded steps were left out at the start."""

    @property
    def ms(self) -> float:
        """How long it is."""
        return self.end - self.start

    @property
    def count(self) -> int:
        """How many steps it holds; 1 where the trace does not tell, so that the whole counts as one."""
        return len(self.steps) or 1


def window_of(trace: Trace) -> Window:
    """The steps of a trace.

    A step lasts until the next one starts, so that steps add up to the window. Where several were recorded, the first
    is dropped: work of the device that was asked for before recording began is missing from it, the profiler itself
    starts in it, and a loader's queue, a cache or a benchmark may still fill.
    """
    marked = [mark for mark in trace.annotations if _STEP.match(mark.name)]
    if marked:
        return _until_next(marked, "ProfilerStep")
    return _between_optimizer_steps(trace) or _whole(trace)


def _until_next(marks: Sequence[HostRange], name: str) -> Window:
    ends = [mark.start for mark in marks[1:]] + [marks[-1].end]
    steps = [(mark.start, end) for mark, end in zip(marks, ends, strict=True)]
    dropped = 1 if len(steps) > 1 else 0
    kept = tuple(steps[dropped:])
    return Window(kept[0][0], kept[-1][1], kept, name, dropped)


def _between_optimizer_steps(trace: Trace) -> Window | None:
    """Steps from the end of one optimizer step to the end of the next, by the optimizer that steps first.

    What lies before the first end is no whole step, so nothing else need be dropped.
    """
    calls = [call for call in trace.annotations if _OPTIMIZER.match(call.name)]
    ends = [call.end for call in calls if call.name == calls[0].name]
    if len(ends) < 2:
        return None
    steps = tuple(pairwise(ends))
    return Window(ends[0], ends[-1], steps, calls[0].name.partition(".step#")[0] + ".step")


def _whole(trace: Trace) -> Window:
    # Frames outlast what was recorded: those that were open when recording began and ended count as a whole.
    spans = [(item.start, item.end) for item in trace.work]
    spans += [(item.start, item.end) for item in (*trace.calls, *trace.operators, *trace.annotations)]
    spans = spans or [(item.start, item.end) for item in trace.frames]
    return Window(min(start for start, _ in spans), max(end for _, end in spans), (), "")
