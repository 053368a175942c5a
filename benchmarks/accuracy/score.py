"""Findings against labels: pure functions from data to figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.accuracy.labels import Confidence, Label, LabelSet, MendedLine, Scope, Verdict
from benchmarks.accuracy.vocabulary import ADVICE, issues_of
from trainlint.finding import Confidence as Level


@dataclass(frozen=True, slots=True)
class Flag:
    """A finding, as far as scoring looks at it."""

    repo: str
    path: str
    """Relative to the clone, with forward slashes."""
    line: int
    code: str
    message: str = ""
    confidence: Level = Level.CERTAIN
    """How sure trainlint is of it."""
    heat: str = ""
    """How often the line runs, in trainlint's word."""
    related: tuple[tuple[str, int], ...] = ()
    """Further places of the same defect, such as hot call sites: path and line."""
    cell: int | None = None
    """The cell of a notebook that the line is counted in."""

    @property
    def issues(self) -> tuple[str, ...]:
        """What labels call it; empty for a rule that is not scored."""
        return issues_of(self.code)


@dataclass(frozen=True, slots=True)
class Judged:
    """A label that counts, and the findings that matched it."""

    label: Label
    flags: tuple[Flag, ...]
    at_finding: bool = False
    """Whether one of them stands at the label itself, not only one of its related places."""


@dataclass(frozen=True, slots=True)
class StrictFlag:
    """A finding in an exhaustively labelled file: right, or a false alarm."""

    flag: Flag
    issue: str
    """The issue that it matched, or else the first that its rule stands for."""
    right: bool
    lookalike: Label | None = None
    """What a false alarm fell for, where it stands on a labelled look-alike."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A commit that mended a defect, and whether trainlint saw both sides."""

    line: MendedLine
    flagged_before: bool
    silent_after: bool
    """True also where the line was removed."""


class Share(NamedTuple):
    """`part` of `whole`."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """0 to 1; None of an empty whole."""
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class Figures:
    """The three figures of one cut through the labels."""

    recall: Share
    """Of the labelled defects (groups count once), those found."""
    lookalikes: Share
    """Of the labelled look-alikes, those flagged with that very issue."""
    precision: Share
    """Of the findings in exhaustively labelled files, those that match a labelled defect."""


@dataclass(frozen=True, slots=True)
class Score:
    """What came out for each label, finding and mended line."""

    judged: tuple[Judged, ...]
    strict: tuple[StrictFlag, ...]
    mended: tuple[Mended, ...] = ()

    def of(self, issues: Iterable[str]) -> Score:
        """The part of the score that concerns these issues."""
        wanted = frozenset(issues)
        return Score(
            tuple(each for each in self.judged if each.label.issue in wanted),
            tuple(each for each in self.strict if each.issue in wanted),
            tuple(each for each in self.mended if each.line.issue in wanted),
        )

    @property
    def misses(self) -> tuple[Judged, ...]:
        """Labelled defects of which no line was found."""
        found = {each.label.defect for each in self.judged if each.flags}
        return tuple(each for each in _defects(self.judged) if each.label.defect not in found)

    @property
    def hit_lookalikes(self) -> tuple[Judged, ...]:
        """Look-alikes that were flagged."""
        return tuple(each for each in self.judged if each.label.verdict is Verdict.LOOKALIKE and each.flags)

    @property
    def false_alarms(self) -> tuple[StrictFlag, ...]:
        """Findings in exhaustively labelled files that match no labelled defect."""
        return tuple(each for each in self.strict if not each.right)


def score(label_set: LabelSet, flags: Sequence[Flag], *, low_confidence: bool = False) -> Score:
    """Match findings with labels. Labels of low confidence count only if asked for.

    In precision they always excuse: a finding on a defect of which the labeller was unsure is no false alarm.
    """
    by_place = labels_by_place(label_set)
    found: defaultdict[Label, list[Flag]] = defaultdict(list)
    at_finding: set[Label] = set()
    strict = []
    for flag in flags:
        at_finding.update(_matching_at(flag, flag.path, flag.line, by_place))
        matched = matching(flag, by_place)
        for label in matched:
            found[label].append(flag)
        if (flag.repo, flag.path) in label_set.exhaustive:
            verdict = strict_verdict(flag, matched)
            if verdict is not None:
                strict.append(verdict)
    counted = [label for label in label_set.labels if low_confidence or label.confidence is not Confidence.LOW]
    judged = (Judged(label, tuple(found[label]), label in at_finding) for label in counted)
    return Score(tuple(judged), tuple(strict))


def labels_by_place(label_set: LabelSet) -> Mapping[tuple[str, str, str], Sequence[Label]]:
    """All labels by repository, path and issue."""
    by_place: defaultdict[tuple[str, str, str], list[Label]] = defaultdict(list)
    for label in label_set.labels:
        by_place[label.repo, label.path, label.issue].append(label)
    return by_place


def matching(flag: Flag, by_place: Mapping[tuple[str, str, str], Sequence[Label]]) -> tuple[Label, ...]:
    """The labels that a finding matches: repository, path and issue agree and its line is near enough.

    Where it is near a defect and a look-alike of one issue, the nearer one decides, the defect on a tie. A related
    place can show that a defect was found; only the place of the finding itself can hit a look-alike.
    """
    matched = _matching_at(flag, flag.path, flag.line, by_place)
    if any(label.verdict is Verdict.LOOKALIKE for label in matched):
        return matched
    related = (label for path, line in flag.related for label in _matching_at(flag, path, line, by_place))
    further = (label for label in related if label.verdict is Verdict.DEFECT)
    return tuple(dict.fromkeys((*matched, *further)))


def _matching_at(
    flag: Flag, path: str, line: int, by_place: Mapping[tuple[str, str, str], Sequence[Label]]
) -> tuple[Label, ...]:
    matched: list[Label] = []
    for issue in flag.issues:
        near = [
            (away, label)
            for label in by_place.get((flag.repo, path, issue), ())
            if (away := label.distance(line)) is not None
        ]
        if near:
            _, nearest = min(near, key=lambda pair: (pair[0], pair[1].verdict is Verdict.LOOKALIKE))
            matched += (label for _, label in near if label.verdict is nearest.verdict)
    return tuple(matched)


def score_mended(line: MendedLine, before: Flagged, after: Flagged | None) -> Mended:
    """Judge a mended line by the findings of its file before and after the commit."""
    return Mended(
        line,
        flagged_before=before.has(line.issue),
        silent_after=after is None or not after.has(line.issue),
    )


@dataclass(frozen=True, slots=True)
class Flagged:
    """The findings of one file version, and the lines of the statement that is asked about."""

    flags: tuple[Flag, ...]
    first_line: int
    last_line: int

    def has(self, issue: str) -> bool:
        """Whether the statement, with the usual slack, is flagged with the issue."""
        return any(
            issue in flag.issues and self.first_line - 1 <= flag.line <= self.last_line + 1 for flag in self.flags
        )


def figures(part: Score) -> Figures:
    """The three figures of a score or a part of it."""
    defects = {each.label.defect for each in _defects(part.judged)}
    found = {each.label.defect for each in _defects(part.judged) if each.flags}
    lookalikes = [each for each in part.judged if each.label.verdict is Verdict.LOOKALIKE]
    return Figures(
        recall=Share(len(found), len(defects)),
        lookalikes=Share(sum(bool(each.flags) for each in lookalikes), len(lookalikes)),
        precision=Share(sum(each.right for each in part.strict), len(part.strict)),
    )


def recall_at_findings(part: Score) -> Share:
    """Recall without related places: the labelled defects at which a finding itself stands."""
    defects = _defects(part.judged)
    found = {each.label.defect for each in defects if each.at_finding}
    return Share(len(found), len({each.label.defect for each in defects}))


def by_label(part: Score, key: Callable[[Label], str]) -> dict[str, Figures]:
    """Recall and look-alikes for each value of `key`; findings have no such key, so precision stays empty."""
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in part.judged:
        groups[key(each.label)].append(each)
    return {name: figures(Score(tuple(groups[name]), ())) for name in sorted(groups)}


def by_scope(part: Score) -> dict[str, Figures]:
    """Recall and look-alikes for each scope that occurs."""
    found = by_label(part, lambda label: label.scope.value)
    return {scope.value: found[scope.value] for scope in Scope if scope.value in found}


def by_issue(part: Score, issues: Sequence[str]) -> dict[str, Figures]:
    """All three figures for each of the issues that has a label or a finding."""
    parts = {issue: part.of([issue]) for issue in issues}
    return {issue: figures(each) for issue, each in parts.items() if each.judged or each.strict}


def _defects(judged: Iterable[Judged]) -> list[Judged]:
    return [each for each in judged if each.label.verdict is Verdict.DEFECT]


def strict_verdict(flag: Flag, matched: Sequence[Label]) -> StrictFlag | None:
    """Whether a finding in an exhaustively labelled file is right; None where it proves nothing."""
    for label in matched:
        if label.verdict is Verdict.DEFECT and label.issue not in ADVICE:
            return StrictFlag(flag, label.issue, right=True)
    # A rule that also stands for an advice-level issue is right where such a defect is labelled, and leaves strictness.
    if any(label.verdict is Verdict.DEFECT for label in matched):
        return None
    scored = [issue for issue in flag.issues if issue not in ADVICE]
    if not scored:
        return None
    lookalike = next((label for label in matched if label.issue not in ADVICE), None)
    return StrictFlag(flag, lookalike.issue if lookalike else scored[0], right=False, lookalike=lookalike)
