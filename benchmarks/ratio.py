"""How sure a ratio of step times is, from pairs of runs: Student's interval around the mean of the pairs' ratios.

Steps of one run share its luck (where memory came to lie, what else the machine did), so many steps of few runs are
far fewer independent observations than they look: a pair of runs counts once, however many steps it has. Runs are
compared in pairs because the two of a pair share the machine, or follow each other, and see it in the same state.
Ratios are compared by their logarithms, so that twice as fast and half as fast weigh the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, stdev

_QUANTILES = (31.821, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998, 2.896, 2.821, 2.764)
_MORE = (2.718, 2.681, 2.650, 2.624, 2.602, 2.583, 2.567, 2.552, 2.539, 2.528)
STUDENT = (*_QUANTILES, *_MORE)
"""What Student's distribution exceeds 1 time in 100, with 1 to 20 degrees of freedom. Beyond, the last is a little too
careful. So rarely on each side does an interval of 98% miss the true ratio, where runs differ by chance alone."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and the interval around it."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Pair:
    """The times of the steps of two runs that shared the machine, or followed each other."""

    before: tuple[float, ...]
    after: tuple[float, ...]


def ratio_of_means(pairs: Sequence[Pair]) -> Estimate:
    """How long a step takes after a change, as a multiple of what it took before, and the 98% interval.

    The means of runs, not medians of steps: a training with loader workers has many short steps and some long ones,
    and all of them are waited for.

    Raises:
        ValueError: there are fewer than two pairs, or a run without steps or time.
    """
    if len(pairs) < 2:
        raise ValueError("one pair of runs does not tell how much runs differ; two are the least")
    if not all(pair.before and pair.after for pair in pairs):
        raise ValueError("a run without steps has no mean")
    if not all(fmean(pair.before) > 0 and fmean(pair.after) > 0 for pair in pairs):
        raise ValueError("steps that take no time have no ratio")
    ratios = [log(fmean(pair.after) / fmean(pair.before)) for pair in pairs]
    mean = fmean(ratios)
    margin = STUDENT[min(len(pairs) - 1, len(STUDENT)) - 1] * stdev(ratios) / sqrt(len(pairs))
    # Beyond e^700 there are no floating point numbers.
    return Estimate(exp(mean), exp(max(mean - margin, -700.0)), exp(min(mean + margin, 700.0)))
