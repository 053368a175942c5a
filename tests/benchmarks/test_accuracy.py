"""The accuracy benchmark: how findings are matched with labels, and the whole way on a repository made here."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from benchmarks.accuracy.__main__ import main
from benchmarks.accuracy.json_files import BadFile
from benchmarks.accuracy.labels import (
    Confidence,
    Label,
    LabelSet,
    MendedLine,
    Place,
    Scope,
    Verdict,
    read_labels,
)
from benchmarks.accuracy.report import Outcome, as_data, as_text
from benchmarks.accuracy.run import (
    CannotScore,
    Trainlint,
    anchor,
    check_mended,
    line_text,
    read_report,
    require_clones,
    statement_lines,
)
from benchmarks.accuracy.score import (
    Flag,
    Flagged,
    Score,
    Share,
    by_issue,
    by_label,
    by_scope,
    figures,
    score,
    score_mended,
)
from benchmarks.accuracy.vocabulary import ADVICE, ISSUES, ISSUES_OF_RULE, covered_issues
from tests.git_identity import git
from trainlint.finding import Confidence as Level

if TYPE_CHECKING:
    from pathlib import Path

REPO = "somebody/toy"
SYNC = "sync-in-train-loop"

DEFECT = Label(
    repo=REPO,
    path="train.py",
    line=10,
    issue=SYNC,
    verdict=Verdict.DEFECT,
    kind="item",
    why="each step",
    confidence=Confidence.HIGH,
    scope=Scope.LINE,
    line_sha1="0" * 12,
    first_line=10,
    last_line=12,
)
LOOKALIKE = replace(DEFECT, line=20, first_line=20, last_line=20, verdict=Verdict.LOOKALIKE, kind="interval")


def flag(line: int, code: str = "TRN201", path: str = "train.py") -> Flag:
    return Flag(REPO, path, line, code)


def scored(labels: list[Label], flags: list[Flag], *, exhaustive: bool = True, low_confidence: bool = False) -> Score:
    files = frozenset({(REPO, "train.py")}) if exhaustive else frozenset[tuple[str, str]]()
    return score(LabelSet(((REPO, "c0ffee"),), tuple(labels), files, ()), flags, low_confidence=low_confidence)


# How a finding matches a label


@pytest.mark.parametrize(("line", "found"), [(8, 0), (9, 1), (10, 1), (12, 1), (13, 1), (14, 0)])
def test_a_finding_matches_within_the_statement_and_one_line_around_it(line: int, found: int) -> None:
    assert figures(scored([DEFECT], [flag(line)])).recall == Share(found, 1)


@pytest.mark.parametrize(("line", "found"), [(59, 0), (60, 1), (140, 1), (141, 0)])
def test_around_a_label_of_file_scope_forty_lines_will_do(line: int, found: int) -> None:
    label = replace(DEFECT, line=100, first_line=100, last_line=103, scope=Scope.FILE)
    assert figures(scored([label], [flag(line)])).recall == Share(found, 1)


def test_another_issue_path_or_repository_does_not_match() -> None:
    elsewhere = Flag("somebody/else", "train.py", 10, "TRN201")
    assert not scored([DEFECT], [flag(10, "TRN205"), flag(10, path="eval.py"), elsewhere]).judged[0].flags


def test_a_rule_that_stands_for_two_issues_matches_either() -> None:
    in_forward = replace(DEFECT, issue="cpu-in-forward")
    assert figures(scored([in_forward], [flag(10, "TRN202")])) == figures(scored([DEFECT], [flag(10, "TRN202")]))
    assert figures(scored([in_forward], [flag(10, "TRN202")])).precision == Share(1, 1)


def test_between_a_defect_and_a_lookalike_the_nearer_one_takes_the_finding() -> None:
    below = replace(LOOKALIKE, line=13, first_line=13, last_line=13)
    on_the_defect = figures(scored([DEFECT, below], [flag(12)]))
    assert (on_the_defect.recall, on_the_defect.lookalikes) == (Share(1, 1), Share(0, 1))
    on_the_lookalike = figures(scored([DEFECT, below], [flag(13)]))
    assert (on_the_lookalike.recall, on_the_lookalike.lookalikes) == (Share(0, 1), Share(1, 1))


# What is counted


def test_lines_of_one_group_are_one_defect() -> None:
    second = replace(DEFECT, line=30, first_line=30, last_line=30)
    pair = [replace(DEFECT, group="gather"), replace(second, group="gather")]
    half_found = scored(pair, [flag(30)])
    assert figures(half_found).recall == Share(1, 1)
    assert half_found.misses == ()
    assert figures(scored([DEFECT, second], [flag(30)])).recall == Share(1, 2)


def test_lookalikes_count_when_flagged_with_that_very_issue() -> None:
    assert figures(scored([LOOKALIKE], [flag(20)])).lookalikes == Share(1, 1)
    assert figures(scored([LOOKALIKE], [flag(20, "TRN205")])).lookalikes == Share(0, 1)


def test_strict_precision_counts_findings_and_not_labels() -> None:
    result = scored([DEFECT, LOOKALIKE], [flag(10), flag(11, "TRN203"), flag(20), flag(50)])
    assert figures(result).precision == Share(2, 4)
    assert [(each.flag.line, each.lookalike) for each in result.false_alarms] == [(20, LOOKALIKE), (50, None)]


def test_only_exhaustively_labelled_files_enter_precision() -> None:
    assert figures(scored([DEFECT], [flag(50)], exhaustive=False)).precision == Share(0, 0)
    assert figures(scored([DEFECT], [flag(50, path="eval.py")])).precision == Share(0, 0)


def test_low_confidence_counts_only_if_asked_for_but_always_excuses() -> None:
    unsure = replace(DEFECT, confidence=Confidence.LOW)
    assert figures(scored([unsure], [flag(10)])).recall == Share(0, 0)
    assert figures(scored([unsure], [flag(10)])).precision == Share(1, 1)
    assert figures(scored([unsure], [], low_confidence=True)).recall == Share(0, 1)


def test_issues_that_nobody_labels_completely_stay_out_of_precision() -> None:
    per_parameter = replace(DEFECT, issue="param-loop")
    assert figures(scored([], [flag(10, "TRN607")])).precision == Share(0, 0)
    assert figures(scored([per_parameter], [flag(10, "TRN504")])).precision == Share(0, 0)
    assert figures(scored([], [flag(10, "TRN504")])).precision == Share(0, 1)


def test_rules_that_no_label_speaks_of_are_not_scored() -> None:
    assert scored([DEFECT], [flag(10, "TRN002")]).strict == ()


def test_figures_are_cut_by_issue_kind_and_scope() -> None:
    copy = replace(DEFECT, issue="h2d-blocking", kind="batch", scope=Scope.INTERPROC)
    result = scored([DEFECT, LOOKALIKE, copy], [flag(10), flag(50, "TRN205")])
    assert {name: each.recall for name, each in by_scope(result).items()} == {
        "line": Share(1, 1),
        "interproc": Share(0, 1),
    }
    assert by_issue(result, ISSUES)["h2d-blocking"].precision == Share(0, 1)
    assert by_label(result, lambda label: label.kind)["interval"].lookalikes == Share(0, 1)
    assert figures(result.of(covered_issues(["TRN201"]))).recall == Share(1, 1)


def test_a_mended_line_is_flagged_before_and_silent_after() -> None:
    line = MendedLine(REPO, SYNC, "", Place("a", "train.py", 10), Place("b", "train.py", 20))
    good = score_mended(line, Flagged((flag(11),), 10, 10), Flagged((flag(11),), 20, 20))
    assert (good.flagged_before, good.silent_after) == (True, True)
    bad = score_mended(line, Flagged((flag(10, "TRN205"),), 10, 10), Flagged((flag(20),), 20, 20))
    assert (bad.flagged_before, bad.silent_after) == (False, False)
    removed = score_mended(replace(line, after=None), Flagged((flag(10),), 10, 10), None)
    assert (removed.flagged_before, removed.silent_after) == (True, True)


def test_the_table_speaks_only_of_known_issues() -> None:
    assert {issue for issues in ISSUES_OF_RULE.values() for issue in issues} <= set(ISSUES)
    assert set(ADVICE) <= set(ISSUES)
    assert len(set(ISSUES)) == len(ISSUES)
    # What no rule looks for: such labels show only under "every issue".
    uncovered = {
        "anomaly-on",
        "deterministic-on",
        "manual-attention",
        "rng-misuse",
        "compile-in-loop",
        "optimizer-before-wrap",
        "retain-graph",
        "timing-no-sync",
    }
    assert set(ISSUES) - covered_issues(ISSUES_OF_RULE) == uncovered


@pytest.mark.parametrize(
    ("line", "statement"),
    [(2, (2, 2)), (3, (3, 4)), (5, (5, 6)), (7, (7, 8)), (9, (9, 9)), (10, (10, 10)), (99, (99, 99))],
)
def test_the_statement_of_a_mended_line(line: int, statement: tuple[int, int]) -> None:
    text = (
        "import torch\n"  # 1
        "x = 1\n"
        "def train(loader,\n"
        "          model):\n"
        "    for batch in zip(loader,\n"
        "                     model):\n"
        "        model(\n"
        "            batch)\n"
        "        # a comment\n"
        "        @torch.no_grad()\n"
        "        def inner(): pass\n"
    )
    assert statement_lines(text, line) == statement


# Reading what trainlint says


def report(directory: Path, *, files: int = 1, failures: list[dict[str, object]] | None = None) -> dict[str, object]:
    said = {"message": "waits", "confidence": "likely", "heat": "step"}
    finding = {"code": "TRN201", "path": str(directory / "pkg" / "train.py"), **said}
    findings = [{**finding, "span": {"start_line": 7}}]
    return {"findings": findings, "failures": failures or [], "counts": {"files": files}}


def test_paths_of_findings_are_relative_to_the_clone(tmp_path: Path) -> None:
    expected = Flag(REPO, "pkg/train.py", 7, "TRN201", "waits", Level.LIKELY, "step")
    assert read_report(REPO, tmp_path, report(tmp_path)).flags == (expected,)


def test_what_could_not_be_judged_is_told_from_what_is_clean(tmp_path: Path) -> None:
    failed: dict[str, object] = {"path": str(tmp_path / "old.py"), "reason": "Python 2", "rule": None}
    assert read_report(REPO, tmp_path, report(tmp_path, failures=[failed])).not_judged == (("old.py", "Python 2"),)
    with pytest.raises(CannotScore, match="no file"):
        read_report(REPO, tmp_path, report(tmp_path, files=0))


def test_a_report_of_another_shape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotScore, match="unknown shape"):
        read_report(REPO, tmp_path, {"findings": [{"code": "TRN201"}], "failures": []})
    with pytest.raises(CannotScore, match="unknown shape"):
        read_report(REPO, tmp_path, [])


@pytest.mark.parametrize("program", ["print('no JSON')", "raise SystemExit(3)", "raise SystemExit('boom')"])
def test_a_program_that_fails_is_never_taken_for_silent(tmp_path: Path, program: str) -> None:
    with pytest.raises(CannotScore, match="ended with"):
        Trainlint(command=(sys.executable, "-c", program)).check(REPO, tmp_path)


# Reading labels, and the whole way

BEFORE = """\
import torch
from torch.utils.data import DataLoader


def train(model, loader: DataLoader, optimizer):
    total = 0.0
    for step, (image, target) in enumerate(loader):
        image, target = image.cuda(), target.cuda()
        loss = torch.nn.functional.cross_entropy(model(image), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        if step % 100 == 0:
            print(loss.item())
    return total
"""
AFTER = BEFORE.replace("        total += loss.item()\n", "        total += loss.detach()\n")
ITEM = BEFORE.splitlines().index("        total += loss.item()") + 1
LOGGED = BEFORE.splitlines().index("            print(loss.item())") + 1


class Bench:
    """A toy repository with two commits, and labels of the first one, which is checked out."""

    def __init__(self, directory: Path) -> None:
        self.labels, self.clones = directory / "labels", directory / "clones"
        self.clone = self.clones / "toy"
        self.clone.mkdir(parents=True)
        self.labels.mkdir()
        git(self.clone, "init", "--quiet")
        self.before = self.commit(BEFORE)
        self.after = self.commit(AFTER)
        git(self.clone, "checkout", "--quiet", self.before)
        self.write("repos.json", [{"repo": REPO, "commit": self.before}])
        self.write("exhaustive.json", {"files": [{"repo": REPO, "commit": self.before, "path": "train.py"}]})
        self.write_lines("labels.jsonl", [self.label(ITEM), self.label(LOGGED, verdict="trap", kind="interval")])
        self.write_lines("fixes.jsonl", [self.fix()])

    def commit(self, text: str) -> str:
        (self.clone / "train.py").write_text(text)
        git(self.clone, "add", ".")
        git(self.clone, "commit", "--quiet", "-m", "toy")
        return git(self.clone, "rev-parse", "HEAD")

    def label(self, line: int, /, **changes: object) -> dict[str, object]:
        text = BEFORE.splitlines()[line - 1]
        place = {"repo": REPO, "commit": self.before, "path": "train.py", "line": line, "line_sha1": anchor(text)}
        said = {"issue": SYNC, "verdict": "tp", "kind": "item", "why": "each step", "confidence": "high"}
        return {**place, **said, "scope": "line", "stmt": [line, line], **changes}

    def fix(self, **changes: object) -> dict[str, object]:
        before = {"before_sha": self.before, "before_line": ITEM}
        after = {"after_sha": self.after, "after_line": ITEM}
        said = {"issue": SYNC, "message": "no read", "scope": "line"}
        return {"repo": REPO, "path": "train.py", **before, **after, **said, **changes}

    def write(self, name: str, data: object) -> None:
        (self.labels / name).write_text(json.dumps(data))

    def write_lines(self, name: str, items: list[dict[str, object]]) -> None:
        (self.labels / name).write_text("".join(json.dumps(item) + "\n" for item in items))

    def run(self, *options: str) -> int:
        return main(["--labels", str(self.labels), "--clones", str(self.clones), *options])


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_labels_are_read_as_written(bench: Bench) -> None:
    label_set = read_labels(bench.labels)
    assert [(label.line, label.verdict, label.kind) for label in label_set.labels] == [
        (ITEM, Verdict.DEFECT, "item"),
        (LOGGED, Verdict.LOOKALIKE, "interval"),
    ]
    assert label_set.mended[0].after == Place(bench.after, "train.py", ITEM)
    assert label_set.files == {(REPO, "train.py")}


def test_a_line_outside_its_recorded_statement_stands_for_itself(bench: Bench) -> None:
    bench.write_lines("labels.jsonl", [bench.label(ITEM, stmt=[1, 2]), bench.label(LOGGED, stmt=None)])
    assert [(label.first_line, label.last_line) for label in read_labels(bench.labels).labels] == [
        (ITEM, ITEM),
        (LOGGED, LOGGED),
    ]


def test_mended_lines_are_read_with_their_old_name_and_only_in_line_scope(bench: Bench) -> None:
    renamed = bench.fix(before_path="old.py", after_line=None)
    bench.write_lines("fixes.jsonl", [renamed, bench.fix(scope="interproc")])
    (mended,) = read_labels(bench.labels).mended
    assert (mended.before.path, mended.after) == ("old.py", None)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"verdict": "maybe"}, "\"verdict\" is 'maybe' and must be one of: tp, trap"),
        ({"issue": "sync"}, 'the issue "sync" is not in the vocabulary'),
        ({"line": "7"}, '"line" is missing or no line number'),
        ({"stmt": [1]}, '"stmt" is not a pair of lines'),
        ({"commit": "0ff"}, "at 0ff is not in repos.json"),
    ],
)
def test_a_bad_label_is_named_with_its_line(bench: Bench, change: dict[str, object], complaint: str) -> None:
    bench.write_lines("labels.jsonl", [bench.label(ITEM), bench.label(ITEM, **change)])
    with pytest.raises(BadFile, match=r"labels\.jsonl, entry 2: ") as caught:
        read_labels(bench.labels)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("name", ["repos.json", "labels.jsonl", "exhaustive.json", "fixes.jsonl"])
def test_a_missing_or_broken_file_of_the_label_set_is_named(bench: Bench, name: str) -> None:
    (bench.labels / name).write_text("{")
    with pytest.raises(BadFile, match=name):
        read_labels(bench.labels)
    (bench.labels / name).unlink()
    with pytest.raises(BadFile, match=name):
        read_labels(bench.labels)


def test_clones_must_be_there_at_their_commit_with_the_labelled_lines(bench: Bench) -> None:
    label_set = read_labels(bench.labels)
    require_clones(label_set, bench.clones)
    with pytest.raises(CannotScore, match="is missing"):
        require_clones(label_set, bench.clones / "nowhere")
    (bench.clone / "train.py").write_text(AFTER)
    with pytest.raises(CannotScore, match="is not the line that was labelled"):
        require_clones(label_set, bench.clones)
    git(bench.clone, "checkout", "--quiet", "--force", bench.after)
    with pytest.raises(CannotScore, match=f"is at {bench.after}: check out {bench.before}"):
        require_clones(label_set, bench.clones)


def test_lines_are_parted_by_line_feeds_alone(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_bytes(b"a\x0c\r\n  b\r\n")
    assert line_text(tmp_path / "old.py", 2) == "b"
    assert line_text(tmp_path / "old.py", 9) is None


def test_a_commit_that_is_not_in_the_history_is_named(bench: Bench) -> None:
    bench.write_lines("fixes.jsonl", [bench.fix(before_sha="f" * 40)])
    with pytest.raises(CannotScore, match="ffff is not in the clone"):
        check_mended(Trainlint(), read_labels(bench.labels), bench.clones)


def test_nothing_is_printed_where_figures_cannot_be_had(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    git(bench.clone, "checkout", "--quiet", bench.after)
    assert bench.run() == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"check out {bench.before}" in printed.err


def test_the_whole_way_with_the_real_program(bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "figures.json"
    assert bench.run("--json", str(target), "--misses", "--fixes-cache", str(tmp_path / "cache")) == 0
    figures_of = json.loads(target.read_text())
    assert SYNC in figures_of["covered_issues"]
    assert figures_of["issues"][SYNC] == {"recall": [1, 1], "lookalikes": [0, 1], "precision": [1, 1]}
    (mended,) = figures_of["mended"]
    assert (mended["flagged_before"], mended["silent_after"]) == (True, True)
    assert "1.00 (1/1)" in capsys.readouterr().out
    assert len(list((tmp_path / "cache").rglob("train.py"))) == 2


@pytest.mark.slow
def test_stated_confidence_is_judged_with_the_real_program(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "reliability.json"
    assert bench.run("--reliability", "--markdown", "--json", str(target)) == 0
    found = [(each["line"], each["right"]) for each in json.loads(target.read_text())["judged"]]
    assert (ITEM, True) in found
    assert LOGGED not in {line for line, _ in found}
    printed = capsys.readouterr().out
    assert "## By level" in printed


@pytest.mark.slow
def test_the_headline_figures_fit_on_one_line(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run("--history-line") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "| 1.00 (1/1) |" in line


def test_a_labelled_file_that_cannot_be_judged_spoils_the_figures(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = bench.commit("import torch\ndef train(:\n    loss.item()\n")
    label = {"commit": broken, "line_sha1": anchor("loss.item()"), "line": 3, "stmt": None}
    bench.write("repos.json", [{"repo": REPO, "commit": broken}])
    bench.write("exhaustive.json", {"files": []})
    bench.write_lines("labels.jsonl", [bench.label(ITEM, **label)])
    assert bench.run() == 2
    assert "could not judge" in capsys.readouterr().err


# What is printed


def outcome() -> Outcome:
    missed = replace(DEFECT, issue="retain-graph", kind="double", line=70, first_line=70, last_line=70)
    result = scored([DEFECT, LOOKALIKE, missed], [flag(20), flag(50), flag(9, "TRN801")])
    mended = score_mended(
        MendedLine(REPO, SYNC, "no read", Place("a" * 40, "train.py", 10), None), Flagged((), 10, 10), None
    )
    covered = covered_issues(["TRN201", "TRN801"])
    return Outcome(replace(result, mended=(mended,)), covered, {"TRN002": 3}, [("somebody/toy/old.py", "Python 2")])


def text_of(repo: str, path: str, line: int) -> str:
    return f"<{repo} {path} {line}>"


def test_the_text_shows_figures_and_every_line_that_went_wrong() -> None:
    text = as_text(outcome(), text_of, misses=True)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "all 0.00 (0/1) 1.00 (1/1) 0.00 (0/3)" in lines
    assert "all 0.00 (0/2) 1.00 (1/1) 0.00 (0/3)" in lines
    assert "covered 0.00 (0/1) - 0.00 (0/1)" in lines
    assert "retain-graph 0.00 (0/1) - - no" in lines
    for title in ("Missed (1)", "Look-alikes hit (1)", "False alarms in exhaustively labelled files (3)"):
        assert title in lines
    assert "Missed for want of a rule (1)" in lines
    assert "<somebody/toy train.py 50>" in lines
    assert "TRN002: 3" in lines
    assert "somebody/toy/old.py: Python 2" in lines
    assert "<somebody/toy train.py 50>" not in as_text(outcome(), text_of)


def test_the_markdown_has_tables_of_even_width() -> None:
    rows = [line for line in as_text(outcome(), text_of, markdown=True).splitlines() if line.startswith("|")]
    assert "| all                    | 0.00 (0/1) | 1.00 (1/1)      | 0.00 (0/3)       |" in rows
    assert all(row.endswith(" |") for row in rows)


def test_the_data_names_each_line_that_went_wrong() -> None:
    data = json.loads(json.dumps(as_data(outcome(), text_of)))
    assert data["covered"]["recall"] == [0, 1]
    assert data["all"]["scopes"]["line"]["recall"] == [0, 2]
    assert [(each["issue"], each["line"]) for each in data["misses"]] == [(SYNC, 10), ("retain-graph", 70)]
    assert [each["codes"] for each in data["lookalikes_hit"]] == [["TRN201"]]
    assert [each["lookalike"] for each in data["false_alarms"]] == ["interval", None, None]
    assert data["mended"][0]["after"] is None
