"""Where the time of a mean step goes, by phase."""

from __future__ import annotations

from statistics import fmean

from trainlint.evidence.run import Phase, Run

_LEAST_SHARE = 0.0005
"""A smaller share of a step would be printed as 0.0%, and is left out."""


def mean_phases(run: Run) -> dict[Phase, float]:
    """The milliseconds of each phase in a mean step, in the order in which a step runs. Nothing without steps."""
    if not run.steps:
        return {}
    spent = {phase: fmean(step.phases.get(phase, 0.0) for step in run.steps) for phase in Phase}
    whole = sum(spent.values())
    return {phase: ms for phase, ms in spent.items() if ms >= _LEAST_SHARE * whole and ms > 0}
