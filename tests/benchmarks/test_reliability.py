"""Stated confidence against labels, and the row of headline figures: on label sets made by hand."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest

from benchmarks.accuracy.history import HEADER, commit_of, history_line
from benchmarks.accuracy.labels import Confidence, Label, LabelSet, MendedLine, Place, Scope, Verdict
from benchmarks.accuracy.reliability import (
    Group,
    JudgedFlag,
    by_level,
    from_each_level,
    groups,
    interval,
    judged_flags,
)
from benchmarks.accuracy.reliability_report import Reliability, as_data, as_text
from benchmarks.accuracy.report import Outcome
from benchmarks.accuracy.score import Flag, Flagged, Share, score, score_mended
from benchmarks.accuracy.vocabulary import covered_issues
from tests.git_identity import git
from trainlint.finding import Confidence as Level

if TYPE_CHECKING:
    from pathlib import Path

REPO = "somebody/toy"
SYNC = "sync-in-train-loop"
SAID = {Verdict.DEFECT: "item", Verdict.LOOKALIKE: "interval"}


def label(
    line: int,
    verdict: Verdict = Verdict.DEFECT,
    *,
    path: str = "train.py",
    issue: str = SYNC,
    sure: Confidence = Confidence.HIGH,
    scope: Scope = Scope.LINE,
) -> Label:
    return Label(REPO, path, line, issue, verdict, SAID[verdict], "why", sure, scope, "0" * 12, line, line)


def flag(line: int, confidence: Level = Level.CERTAIN, *, path: str = "train.py", code: str = "TRN201") -> Flag:
    return Flag(REPO, path, line, code, confidence=confidence, heat="step")


def labels(*each: Label, exhaustive: tuple[str, ...] = ("train.py",)) -> LabelSet:
    files = frozenset((REPO, path) for path in exhaustive)
    return LabelSet(((REPO, "c0ffee"),), each, files, ())


def judged(*pairs: tuple[Level, bool], exhaustive: bool = True) -> list[JudgedFlag]:
    return [JudgedFlag(flag(10, confidence), right, exhaustive) for confidence, right in pairs]


# Which findings can be judged


def test_in_exhaustive_files_every_finding_of_an_issue_is_judged() -> None:
    flags = [flag(10), flag(20), flag(50), flag(60, code="TRN002")]
    found = judged_flags(labels(label(10), label(20, Verdict.LOOKALIKE)), flags)
    assert [(each.flag.line, each.right, each.exhaustive) for each in found] == [
        (10, True, True),
        (20, False, True),
        (50, False, True),
    ]


def test_elsewhere_only_findings_on_a_label_are_judged() -> None:
    flags = [flag(10), flag(20), flag(50), flag(10, path="other.py")]
    found = judged_flags(labels(label(10), label(20, Verdict.LOOKALIKE), exhaustive=()), flags)
    assert [(each.flag.line, each.right, each.exhaustive) for each in found] == [(10, True, False), (20, False, False)]


@pytest.mark.parametrize("verdict", list(Verdict))
def test_where_the_labeller_was_unsure_nothing_is_judged_unless_asked_for(verdict: Verdict) -> None:
    unsure = labels(label(10, verdict, sure=Confidence.LOW), exhaustive=())
    assert judged_flags(unsure, [flag(10)]) == ()
    (found,) = judged_flags(unsure, [flag(10)], low_confidence=True)
    assert found.right is (verdict is Verdict.DEFECT)


def test_advice_is_judged_only_where_it_is_labelled() -> None:
    per_parameter = labels(label(10, issue="param-loop"))
    found = judged_flags(per_parameter, [flag(10, code="TRN607"), flag(50, code="TRN607")])
    assert [(each.flag.line, each.right) for each in found] == [(10, True)]


# What is counted


def test_each_level_has_its_findings_the_surest_first() -> None:
    parts = by_level(
        judged((Level.UNLIKELY, False), (Level.LIKELY, True), (Level.LIKELY, False), (Level.CERTAIN, True))
    )
    assert [(part.name, part.right) for part in parts] == [
        ("certain", Share(1, 1)),
        ("likely", Share(1, 2)),
        ("possible", Share(0, 0)),
        ("unlikely", Share(0, 1)),
    ]


def test_a_group_counts_what_is_right_everywhere_and_in_exhaustive_files() -> None:
    pair = judged((Level.CERTAIN, True), (Level.LIKELY, False))
    part = Group("both", (*pair, *judged((Level.POSSIBLE, False), exhaustive=False)))
    assert (part.right, part.strict) == (Share(1, 3), Share(1, 2))


def test_findings_are_grouped_by_any_property() -> None:
    found = [JudgedFlag(flag(line, code=code), True, True) for line, code in ((1, "TRN205"), (2, "TRN201"))]
    assert [part.name for part in groups(found, lambda each: each.code)] == ["TRN201", "TRN205"]


@pytest.mark.parametrize(
    ("of", "low", "high"), [(Share(10, 10), 0.722, 1.0), (Share(0, 4), 0.0, 0.490), (Share(5, 10), 0.237, 0.763)]
)
def test_the_interval_of_a_share_is_wilsons(of: Share, low: float, high: float) -> None:
    assert interval(of) == pytest.approx((low, high), abs=0.001)


def test_no_finding_has_no_interval() -> None:
    assert interval(Share(0, 0)) is None


def test_from_a_surer_level_on_less_is_shown() -> None:
    label_set = labels(label(10), label(20, Verdict.LOOKALIKE))
    flags = [flag(10, Level.LIKELY), flag(20, Level.POSSIBLE)]
    shown = from_each_level(label_set, flags, covered_issues(["TRN201"]))
    assert [(least.label, each.recall.part, each.lookalikes.part, each.precision) for least, each in shown] == [
        ("certain", 0, 0, Share(0, 0)),
        ("likely", 1, 0, Share(1, 1)),
        ("possible", 1, 1, Share(1, 2)),
        ("unlikely", 1, 1, Share(1, 2)),
    ]


# What is printed


def reliability() -> Reliability:
    label_set = labels(label(10), label(20, Verdict.LOOKALIKE))
    flags = [flag(10, Level.CERTAIN), flag(20, Level.POSSIBLE)]
    return Reliability(judged_flags(label_set, flags), from_each_level(label_set, flags, {SYNC}))


def test_the_text_shows_each_table() -> None:
    lines = [" ".join(line.split()) for line in as_text(reliability()).splitlines()]
    assert "possible 1 0.00 (0/1) 0.00 to 0.79 0.00 (0/1)" in lines
    assert "all 2 0.50 (1/2) 0.09 to 0.91 0.50 (1/2)" in lines
    assert "likely 1.00 (1/1) 0.00 (0/1) 1.00 (1/1)" in lines
    assert "possible 1.00 (1/1) 1.00 (1/1) 0.50 (1/2)" in lines
    assert "step 2 0.50 (1/2) 0.09 to 0.91 0.50 (1/2)" in lines


def test_the_markdown_has_tables_of_even_width() -> None:
    rows = [line for line in as_text(reliability(), markdown=True).splitlines() if line.startswith("|")]
    assert rows
    assert all(row.endswith(" |") for row in rows)


def test_without_findings_nothing_fails() -> None:
    assert "all" in as_text(Reliability((), ()))
    assert as_data(Reliability((), ()))["judged"] == []


def test_the_data_holds_each_judged_finding() -> None:
    data = json.loads(json.dumps(as_data(reliability())))
    assert [(each["line"], each["confidence"], each["right"]) for each in data["judged"]] == [
        (10, "certain", True),
        (20, "possible", False),
    ]
    assert data["from_levels"][0]["lookalikes"] == [0, 1]
    assert data["levels"][0]["right"] == [1, 1]


def test_the_history_line_is_one_row_under_its_header() -> None:
    label_set = labels(label(10), label(20, Verdict.LOOKALIKE), label(30, scope=Scope.INTERPROC))
    mended = score_mended(
        MendedLine(REPO, SYNC, "", Place("a", "train.py", 10), None), Flagged((flag(10),), 10, 10), None
    )
    found = score(label_set, [flag(10)])
    outcome = Outcome(type(found)(found.judged, found.strict, (mended,)), covered_issues(["TRN201"]), {})
    row = history_line(outcome, "c0ffee", date(2026, 11, 21))
    assert row == (
        "| 2026-11-21 | c0ffee | 1 of 36 | 0.50 (1/2) | 0.00 (0/1) | 0.00 (0/1) | 1.00 (1/1) | 1.00 (1/1) | - |"
    )
    assert row.count(" | ") == HEADER.count(" | ")


def test_the_commit_says_whether_files_differ_from_it(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == "-"
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a.py").write_text("a = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "toy")
    clean = commit_of(tmp_path)
    assert len(clean) >= 7
    assert not clean.endswith("+")
    (tmp_path / "new.py").write_text("")
    assert commit_of(tmp_path) == clean
    (tmp_path / "a.py").write_text("a = 2\n")
    assert commit_of(tmp_path) == clean + "+"
