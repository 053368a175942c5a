"""Whether a fixed training still computes the same, by the losses and the parameters of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product, zip_longest
from math import inf, isfinite, sqrt
from statistics import NormalDist, fmean, median, median_low, variance

from trainlint.finding import Safety
from trainlint_probe.verify.ratio import Estimate
from trainlint_probe.verify.result import Likeness, Training, Trial

CONFIDENCE = 0.95
"""Of the interval around the change of the mean loss."""

TOLERANCE = 0.01
"""How far rounding may take a loss within some ten steps, relative to the loss."""

MEAN_TOLERANCE = 0.05
"""How far the mean loss may lie from the unchanged one where steps draw other random numbers."""

_NOISE_FACTOR = 2.0
"""How much further from the unchanged runs than these from one another is still noise: no two sets of runs of one
program differ from each other exactly as much as from themselves."""

_FLOOR = 0.01
"""A loss counts as at least this share of the median one: near 0, relative differences mean nothing."""

_FEWEST = 8
"""Fewer losses have no mean to speak of."""

_LARGEST = 1e150
"""The squares of larger ones are beyond floating point."""

_SEED = "give --seed, or let the script seed all its random numbers"


def compare(before: Sequence[Trial], after: Sequence[Trial], safety: Safety) -> Training:
    """How like the runs `before` the runs `after` are, held against what a fix of this safety promises.

    SAFE promises the same bits. NUMERICS promises the same mathematics, with other rounding or another random stream.
    UNSAFE promises nothing and leaves it to a person, who will want to know as much. Each side has at least one run,
    and every run came to its end.
    """
    count = len(before[0].losses)
    if not count and not before[0].parameters:
        return Training(Likeness.UNKNOWN, "neither losses nor parameters were seen, so they cannot be compared", 0)
    noise = max((difference(one, other) for one, other in combinations(before, 2)), default=None)
    change = median(difference(one, other) for one, other in product(before, after))
    digests = {trial.parameters for trial in before}
    same_parameters = {trial.parameters for trial in after} == digests if len(digests) == 1 else None
    firsts = [place for trial in after if (place := first_difference(before[0], trial))]
    measured = Training(
        Likeness.UNKNOWN,
        "",
        count,
        noise=noise,
        change=change,
        first_difference=min(firsts, default=None),
        same_parameters=same_parameters,
    )
    return _judged(measured, before, after, safety)


def difference(one: Trial, other: Trial) -> float:
    """The most by which two runs differ in a loss, or in their parameters' norm, relative to it.

    Infinite where one has a number and the other has none, or has no finite one.
    """
    numbers = list(zip_longest(one.losses, other.losses))
    floor = _FLOOR * median_low(map(abs, _finite(one.losses) or [0.0]))
    if one.norm is not None or other.norm is not None:
        numbers.append((one.norm, other.norm))
    return max((_relative(first, second, floor) for first, second in numbers), default=0.0)


def first_difference(one: Trial, other: Trial) -> int | None:
    """The first loss, from 1, that is not the same in two runs, bit for bit."""
    pairs = zip_longest(one.losses, other.losses)
    return next((place for place, (first, second) in enumerate(pairs, 1) if repr(first) != repr(second)), None)


def mean_change(before: Sequence[Trial], after: Sequence[Trial]) -> Estimate | None:
    """By how much the mean loss of the second half changes, relative to its size.

    None where too few losses were seen, or where one is so large that no mean can be told.

    The second half, because what an update does shows in the losses after it. Steps are compared one by one, so that
    what all runs learn meanwhile drops out.
    """
    half = len(before[0].losses) // 2
    if len(before[0].losses) - half < _FEWEST:
        return None
    late_before = [trial.losses[half:] for trial in before]
    late_after = [trial.losses[half:] for trial in after]
    if not all(abs(loss) < _LARGEST for losses in (*late_before, *late_after) for loss in losses):
        return None
    scale = fmean(abs(loss) for losses in late_before for loss in losses)
    if not scale:
        return None
    changes = [
        fmean(new) - fmean(old)
        for old, new in zip(zip(*late_before, strict=True), zip(*late_after, strict=True), strict=True)
    ]
    # Two things are left to chance: what each step draws, and, where runs differ, which runs these are.
    error = sqrt(variance(changes) / len(changes) + _error_of_mean(late_before) + _error_of_mean(late_after))
    margin = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * error
    mean = fmean(changes)
    return Estimate(mean / scale, (mean - margin) / scale, (mean + margin) / scale)


def _error_of_mean(runs: Sequence[Sequence[float]]) -> float:
    """The squared standard error of the mean of the runs' means."""
    return variance(map(fmean, runs)) / len(runs) if len(runs) > 1 else 0.0


def _judged(measured: Training, before: Sequence[Trial], after: Sequence[Trial], safety: Safety) -> Training:
    """The measured facts with their name, in the order from the plainest to the least certain."""

    def found(likeness: Likeness, sentence: str) -> Training:
        return replace(measured, likeness=likeness, sentence=sentence)

    noise, change = measured.noise or 0.0, measured.change or 0.0
    obvious = _compare_exactly(measured, before, after)
    if obvious:
        return found(*obvious)
    if change <= _NOISE_FACTOR * noise <= _NOISE_FACTOR * TOLERANCE:
        words = f"losses differ by {_percent(change)} at most, and those of unchanged runs among themselves by"
        return found(Likeness.WITHIN_NOISE, f"{words} {_percent(noise)}")
    if safety is not Safety.SAFE:
        return _of_inexact(measured, before, after)
    if change <= _NOISE_FACTOR * noise:
        words = f"losses of unchanged runs differ by {_percent(noise)} among themselves, so no change would show"
        return found(Likeness.UNKNOWN, f"{words}; {_SEED}")
    return found(Likeness.DIFFERENT, f"the fix promises the same bits, and {_how_different(measured)}")


def _compare_exactly(
    measured: Training, before: Sequence[Trial], after: Sequence[Trial]
) -> tuple[Likeness, str] | None:
    """What needs no tolerance."""
    count = measured.losses
    counts = sorted({len(trial.losses) for trial in before})
    if len(counts) > 1:
        return Likeness.UNKNOWN, f"unchanged runs call backward on {counts[0]} to {counts[-1]} losses; {_SEED}"
    others = {len(trial.losses) for trial in after} - {count}
    if others:
        words = f"backward is called on {count} losses without the fix, and on {min(others)} with it"
        return Likeness.DIFFERENT, words
    if any(map(_diverges, after)) and not any(map(_diverges, before)):
        return Likeness.DIFFERENT, "with the fix a loss is infinite or no number, and without it none is"
    if measured.first_difference is None and measured.same_parameters and not measured.noise:
        what = f"all {count} losses and the parameters" if before[0].parameters else f"all {count} losses"
        return Likeness.IDENTICAL, f"{what} are the same bit for bit"
    return None


def _of_inexact(measured: Training, before: Sequence[Trial], after: Sequence[Trial]) -> Training:
    """What is said where rounding may differ, or the random stream."""
    noise, change = measured.noise or 0.0, measured.change or 0.0
    if change <= TOLERANCE:
        words = f"losses and the parameters' norm are the same but for {_percent(change)}, as other rounding makes them"
        return replace(measured, likeness=Likeness.WITHIN_TOLERANCE, sentence=words)
    words, mean = _how_different(measured), mean_change(before, after)
    if mean is None:
        likeness = Likeness.DIFFERENT if change > _NOISE_FACTOR * noise else Likeness.UNKNOWN
        return replace(measured, likeness=likeness, sentence=words)
    words = f"{words}; their mean changes by {_percent(mean.value)}, {_percent(mean.low)} to {_percent(mean.high)}"
    if max(-mean.low, mean.high) <= MEAN_TOLERANCE:
        likeness, words = Likeness.ALIKE_ON_AVERAGE, f"{words}, as with other random numbers"
    elif mean.low > MEAN_TOLERANCE or mean.high < -MEAN_TOLERANCE:
        likeness = Likeness.DIFFERENT
    else:
        likeness, words = Likeness.UNKNOWN, f"{words}, which settles nothing; raise --steps, or {_SEED}"
    return replace(measured, likeness=likeness, sentence=words, mean_change=mean)


def _how_different(measured: Training) -> str:
    change = measured.change or 0.0
    if measured.first_difference is None:
        return f"all losses are the same, and the parameters at the end are not (their norm by {_percent(change)})"
    return (
        f"losses differ from number {measured.first_difference} of {measured.losses} on, by {_percent(change)} at most"
    )


def _relative(first: float | None, second: float | None, floor: float) -> float:
    if first is None or second is None:
        return inf
    if repr(first) == repr(second):
        return 0.0  # two that are no number are the same here
    if not isfinite(first) or not isfinite(second):
        return inf
    return abs(first - second) / max(abs(first), abs(second), floor)


def _finite(losses: Sequence[float]) -> list[float]:
    return [loss for loss in losses if isfinite(loss)]


def _diverges(trial: Trial) -> bool:
    return len(_finite(trial.losses)) < len(trial.losses)


def _percent(share: float) -> str:
    if not isfinite(share):
        return "more than can be said"
    return f"{share:.0%}" if share >= 1 else f"{100 * share:.2g}%"
