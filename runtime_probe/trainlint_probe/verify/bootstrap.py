"""How sure a ratio of step times is: a two-level bootstrap, first of pairs of runs, then of the steps of each run.

Steps of one run share its luck (where memory came to lie, what else the machine did), so many steps of few runs are
far fewer independent observations than they look. Resampling whole runs says so. Runs are resampled in pairs, because
the two runs of a pair follow each other and see the same machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import NormalDist, fmean

CONFIDENCE = 0.95

_RESAMPLES = 4000
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and the interval that holds the true one 95 times in 100."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Pair:
    """The times of the steps of two runs that followed each other."""

    before: tuple[float, ...]
    after: tuple[float, ...]


def ratio_of_means(pairs: Sequence[Pair], *, seed: int = 0) -> Estimate:
    """How long a step takes after a change, as a multiple of what it took before.

    Means, not medians: a training with loader workers has many short steps and some long ones, and all of them are
    waited for. The same pairs and seed give the same estimate.

    Raises:
        ValueError: there are fewer than two pairs, or a run without steps.
    """
    if len(pairs) < 2:
        raise ValueError("one pair of runs does not tell how much runs differ; two are the least")
    if not all(pair.before and pair.after for pair in pairs):
        raise ValueError("a run without steps has no mean")
    random = Random(seed)  # noqa: S311 - a resample is no secret
    ratios = sorted(_ratio(_resampled(pairs, random)) for _ in range(_RESAMPLES))
    tail = _tail(len(pairs))
    first = int(tail * (_RESAMPLES - 1))
    value = _ratio([(fmean(pair.before), fmean(pair.after)) for pair in pairs])
    # In rare draws of few pairs, all resamples lie on one side of the value itself.
    return Estimate(value, min(ratios[first], value), max(ratios[-1 - first], value))


def _resampled(pairs: Sequence[Pair], random: Random) -> list[tuple[float, float]]:
    """Means of as many pairs as there are, drawn with replacement, each of as many steps as it has, drawn likewise."""
    return [
        (
            fmean(random.choices(pair.before, k=len(pair.before))),
            fmean(random.choices(pair.after, k=len(pair.after))),
        )
        for pair in random.choices(pairs, k=len(pairs))
    ]


def _ratio(means: Sequence[tuple[float, float]]) -> float:
    return sum(after for _, after in means) / sum(before for before, _ in means)


def _tail(runs: int) -> float:
    """The share of resamples to leave out on each side.

    The plain bootstrap's intervals are too narrow for few runs: it takes their spread for the true one. Hesterberg
    ("What Teachers Should Know About the Bootstrap", 2015, section 3.3) therefore expands the percentiles to what
    Student's distribution would give.
    """
    return _NORMAL.cdf(-sqrt(runs / (runs - 1)) * _student(runs - 1))


def _student(freedom: int) -> float:
    """The quantile of Student's distribution that leaves out 5% on both sides together.

    By the expansion 26.7.5 of Abramowitz and Stegun: 0.3% off at four degrees of freedom, and less beyond. At one and
    two, where it is further off, every resample counts anyway.
    """
    z: float = _NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return sum(term / float(freedom) ** power for power, term in enumerate(terms))
