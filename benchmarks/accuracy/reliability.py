"""How often findings of each level of confidence are right: a surer level should be right more often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

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
from trainlint.finding import Confidence as Level

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
    """Findings that have something in common."""

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


def by_level(judged: Sequence[JudgedFlag]) -> tuple[Group, ...]:
    """The findings by their level of confidence, the surest first, the empty levels too."""
    return tuple(
        Group(level.label, tuple(each for each in judged if each.flag.confidence is level)) for level in reversed(Level)
    )


def groups(judged: Iterable[JudgedFlag], key: Callable[[Flag], str]) -> tuple[Group, ...]:
    """The findings by a property of theirs, in the order of its names."""
    found: defaultdict[str, list[JudgedFlag]] = defaultdict(list)
    for each in judged:
        found[key(each.flag)].append(each)
    return tuple(Group(name, tuple(found[name])) for name in sorted(found))


def interval(of: Share) -> tuple[float, float] | None:
    """Wilson's 95% interval of a share: where the true one lies, were the findings independent. None of no finding."""
    part, whole = of
    if not whole:
        return None
    centre = (part + _Z**2 / 2) / (whole + _Z**2)
    reach = _Z * sqrt(part * (whole - part) / whole + _Z**2 / 4) / (whole + _Z**2)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def from_each_level(
    label_set: LabelSet, flags: Sequence[Flag], covered: Iterable[str], *, low_confidence: bool = False
) -> tuple[tuple[Level, Figures], ...]:
    """The three figures of the covered issues, were findings below a level not shown."""
    issues = frozenset(covered)

    def shown(least: Level) -> Figures:
        kept = [flag for flag in flags if flag.confidence >= least]
        return figures(score(label_set, kept, low_confidence=low_confidence).of(issues))

    return tuple((least, shown(least)) for least in reversed(Level))
