"""Whether memory grows from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import median

from trainlint.evidence.run import Run

_FEWEST_STEPS = 10
"""Steps from which growth is judged: before, a cache that fills looks like a leak."""
_GROWING = 0.8
"""The share of pairs of steps in which memory must have grown: noise grows in half of them."""
_LEAST = 1024
"""Bytes a step. Counters that the script itself keeps, one number a step, are no leak that ends a training. The heap
of ordinary trainings on a CPU, which was looked at for this, grows by less than 200 bytes a step; one that keeps the
graph of a perceptron with two layers, by 7000."""


def growth(amounts: Sequence[tuple[int, int]]) -> float | None:
    """Bytes a step; None where it does not grow, or too few steps were seen to say.

    The median of the slopes between all pairs of steps, which single steps do not move (Theil, 1950; Sen, 1968).

    Args:
        amounts: the number of a step, and the bytes at its end. Steps of which nothing is known are left out.
    """
    if len(amounts) < _FEWEST_STEPS:
        return None
    pairs = list(combinations(amounts, 2))
    slope = median((late - early) / (there - here) for (here, early), (there, late) in pairs)
    growing = sum(late > early for (_, early), (_, late) in pairs) / len(pairs)
    return slope if slope >= _LEAST and growing >= _GROWING else None


def about_few_steps(run: Run) -> str:
    """What the reader must know where nothing is said of growing memory; empty where enough steps were seen."""
    seen = sum(step.memory is not None for step in run.steps)
    if not run.steps or seen >= _FEWEST_STEPS:
        return ""
    if len(run.steps) >= _FEWEST_STEPS:
        return "" if not seen else f"Memory was counted at {seen} steps: too few to tell whether it grows."
    return f"{len(run.steps)} steps are too few to tell whether memory grows: it takes {_FEWEST_STEPS}."
