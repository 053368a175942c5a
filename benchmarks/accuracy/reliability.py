"""Whether stated confidence means what it says: findings at confidence c should be right about c of the time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt

from benchmarks.accuracy.labels import Confidence, LabelSet, Verdict
from benchmarks.accuracy.score import (
    Figures,
    Flag,
    Share,
    figures,
    labels_by_place,
    matching,
    score,
    strict_verdict,
)

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Bins of stated confidence run from one edge up to, but not including, the next; the last includes 1."""
THRESHOLDS = (0.0, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Values of `--min-confidence` for which the figures are shown."""
_Z = 1.96
"""Standard deviations that hold 95% of a normal distribution."""


@dataclass(frozen=True, slots=True)
class JudgedFlag:
    """A finding of which the labels say whether it is right."""

    flag: Flag
    right: bool
    exhaustive: bool
    """It stands in an exhaustively labelled file. Elsewhere only findings on a labelled line can be judged, and
    look-alikes were sought out to be labelled, so wrong ones weigh more there than in users' code."""


@dataclass(frozen=True, slots=True)
class Group:
    """Findings that have something in common: what they state and what came out."""

    name: str
    judged: tuple[JudgedFlag, ...]

    @property
    def right(self) -> Share:
        """Those that are right, of all."""
        return Share(sum(each.right for each in self.judged), len(self.judged))

    @property
    def strict(self) -> Share:
        """The same, of those in exhaustively labelled files."""
        part = [each for each in self.judged if each.exhaustive]
        return Share(sum(each.right for each in part), len(part))

    @property
    def stated(self) -> float | None:
        """The mean stated confidence, the share that ought to be right; None of no finding."""
        return sum(each.flag.confidence for each in self.judged) / len(self.judged) if self.judged else None

    @property
    def gap(self) -> float | None:
        """What is right less what is stated: below 0 the findings claim too much. None of no finding."""
        stated, right = self.stated, self.right.value
        return None if stated is None or right is None else right - stated


def judged_flags(label_set: LabelSet, flags: Sequence[Flag], *, low_confidence: bool = False) -> tuple[JudgedFlag, ...]:
    """The findings that the labels can judge.

    In exhaustively labelled files each finding of an issue, as strict precision counts them. Elsewhere those that match
    a label, other than one of which the labeller was unsure, unless these are asked for.
    """
    by_place = labels_by_place(label_set)
    found = []
    for flag in flags:
        matched = matching(flag, by_place)
        exhaustive = (flag.repo, flag.path) in label_set.exhaustive
        verdict = strict_verdict(flag, matched) if exhaustive else None
        if verdict is not None:
            found.append(JudgedFlag(flag, verdict.right, exhaustive=True))
            continue
        sure = [label for label in matched if low_confidence or label.confidence is not Confidence.LOW]
        if sure:
            right = any(label.verdict is Verdict.DEFECT for label in sure)
            found.append(JudgedFlag(flag, right, exhaustive=exhaustive))
    return tuple(found)


def bins(judged: Sequence[JudgedFlag], edges: Sequence[float] = EDGES) -> tuple[Group, ...]:
    """The findings by stated confidence, the empty bins too."""
    tops = [*edges[1:-1], inf]
    return tuple(
        Group(
            f"{low} to {high}" if low else f"< {high}",
            tuple(each for each in judged if low <= each.flag.confidence < top),
        )
        for (low, high), top in zip(pairwise(edges), tops, strict=True)
    )


def groups(judged: Iterable[JudgedFlag], key: Callable[[Flag], str]) -> tuple[Group, ...]:
    """The findings by a property of theirs, in the order of its names."""
    found: defaultdict[str, list[JudgedFlag]] = defaultdict(list)
    for each in judged:
        found[key(each.flag)].append(each)
    return tuple(Group(name, tuple(found[name])) for name in sorted(found))


def calibration_error(parts: Iterable[Group]) -> float | None:
    """Expected calibration error: the mean distance between stated and right of the bins, weighted by their size.

    As in Guo et al., "On Calibration of Modern Neural Networks" (2017). None without findings.
    """
    filled = [(len(part.judged), abs(part.gap)) for part in parts if part.gap is not None]
    total = sum(size for size, _ in filled)
    return sum(size * gap for size, gap in filled) / total if total else None


def interval(of: Share) -> tuple[float, float] | None:
    """Wilson's 95% interval of a share: where the true one lies, were the findings independent. None of no finding."""
    part, whole = of
    if not whole:
        return None
    centre = (part + _Z**2 / 2) / (whole + _Z**2)
    reach = _Z * sqrt(part * (whole - part) / whole + _Z**2 / 4) / (whole + _Z**2)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def at_thresholds(
    label_set: LabelSet,
    flags: Sequence[Flag],
    covered: Iterable[str],
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    low_confidence: bool = False,
) -> tuple[tuple[float, Figures], ...]:
    """The three figures of the covered issues, were findings below a threshold not shown."""
    issues = frozenset(covered)

    def shown(threshold: float) -> Figures:
        kept = [flag for flag in flags if flag.confidence >= threshold]
        return figures(score(label_set, kept, low_confidence=low_confidence).of(issues))

    return tuple((threshold, shown(threshold)) for threshold in thresholds)
