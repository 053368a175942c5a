"""Where the time of a mean step goes: by phase, and by line of the user's as the sampler saw it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from trainlint.evidence import Line, Phase, Run

_LEAST_SHARE = 0.0005
"""A smaller share of a step would be printed as 0.0%, and is left out."""


def mean_phases(run: Run) -> dict[Phase, float]:
    """The milliseconds of each phase in a mean step, in the order in which a step runs. Nothing without steps."""
    if not run.steps:
        return {}
    spent = {phase: fmean(step.phases.get(phase, 0.0) for step in run.steps) for phase in Phase}
    whole = sum(spent.values())
    return {phase: ms for phase, ms in spent.items() if ms >= _LEAST_SHARE * whole and ms > 0}


@dataclass(frozen=True, slots=True)
class LineTime:
    """A line in one phase of the step."""

    at: Line
    function: str
    phase: Phase
    ms: float
    """Per step: what the phase takes by the clock, times the share of the looks in this phase that saw the line."""
    share: float
    """Of the step, 0 to 1."""
    via: str = ""
    """The library's line that worked for it, where one did."""


def line_times(run: Run) -> tuple[LineTime, ...]:
    """The lines that were seen, that with most time first. Lines with little of their phase are not kept by a run."""
    phases = mean_phases(run)
    whole = sum(phases.values())
    found = (
        LineTime(item.at, item.function, item.phase, ms, ms / whole, item.via)
        for item in run.lines
        if (ms := item.share * phases.get(item.phase, 0.0)) > 0
    )
    return tuple(sorted(found, key=lambda item: (-item.ms, item.at, item.phase.value)))
