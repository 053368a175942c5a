"""Steps that take far longer than most, as those behind a rollout, a validation or a log do: a mean depends on them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from trainlint.evidence import Step
from trainlint_probe.wording.units import duration

_LONG = 3.0
"""Times the median, from which a step is a long one."""
_LEAST = 0.1
"""The share of all time from which long steps are told."""


def about_uneven_steps(steps: Sequence[Step]) -> str:
    """What the reader of a mean must know, in a sentence; empty where the steps are of a kind."""
    if not steps:
        return ""
    typical = median(step.ms for step in steps)
    long = [step.ms for step in steps if step.ms > _LONG * typical]
    share = sum(long) / sum(step.ms for step in steps) if long else 0.0
    if share < _LEAST:
        return ""
    some = f"{len(long)} of {len(steps)} steps take" if len(long) > 1 else f"One of {len(steps)} steps takes"
    return (
        f"{some} {share:.0%} of all time, {duration(fmean(long))} each, where the median step takes "
        f"{duration(typical)}: what a step costs on average depends on how many of them the window holds, and more "
        "--steps tell it better."
    )
