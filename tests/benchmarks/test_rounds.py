"""First-contact rounds: each step on small repositories made here, and once the whole way with the real program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.accuracy.json_files import BadFile
from benchmarks.accuracy.labels import Confidence, Label, LabelSet, Scope, Verdict, read_labels
from benchmarks.accuracy.rounds.__main__ import PAGE, main
from benchmarks.accuracy.rounds.agreement import (
    Pair,
    Reading,
    agreed,
    kappa,
    pairs,
    read_figures,
    read_form,
    right,
    weighted_right,
)
from benchmarks.accuracy.rounds.draw import SPARE, drawn, read_pool
from benchmarks.accuracy.rounds.draw import as_text as draw_text
from benchmarks.accuracy.rounds.label_check import mistakes
from benchmarks.accuracy.rounds.reading_form import drawn as drawn_findings
from benchmarks.accuracy.rounds.reading_form import fix_as_diff
from benchmarks.accuracy.rounds.record import (
    BlindFigures,
    ReadFigures,
    ReadRow,
    Round,
    add_round,
    read_rounds,
    used,
)
from benchmarks.accuracy.rounds.report import rounds_table
from benchmarks.accuracy.rounds.runs import Reported, Runs, read_runs, score_runs
from benchmarks.accuracy.rounds.sheet import as_text as sheet_text
from benchmarks.accuracy.rounds.sheet import facts, facts_of_clone
from benchmarks.accuracy.rounds.skeleton import skeleton
from benchmarks.accuracy.run import CannotScore
from benchmarks.accuracy.score import Flag, Share, figures, recall_at_findings, score
from tests.git_identity import git

REPO = "somebody/toy"
SYNC = "sync-in-train-loop"

TRAIN = """\
import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def forward(self, images):
        return images.flatten(1)


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
        if step % 1000 == 0:
            torch.save(loss.item(), "loss.pt")
    return total


def load(dataset):
    return DataLoader(dataset, num_workers=2)
"""
HELPERS = "def mean(values):\n    return sum(values) / len(values)\n"


def line_of(text: str) -> int:
    """The line of `TRAIN` that holds the text."""
    (line,) = (number for number, line in enumerate(TRAIN.splitlines(), 1) if text in line)
    return line


ITEM, LOGGED, SAVED = line_of("total += loss.item()"), line_of("print(loss.item())"), line_of("torch.save")


class Toy:
    """A round of one repository: its clone, blind labels and an empty list of rounds."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.labels, self.clones, self.runs = (directory / name for name in ("labels", "clones", "runs"))
        self.clone = self.clones / "toy"
        for each in (self.labels, self.clone, self.runs):
            each.mkdir(parents=True)
        (self.clone / "train.py").write_text(TRAIN)
        (self.clone / "helpers.py").write_text(HELPERS)
        git(self.clone, "init", "--quiet")
        git(self.clone, "add", ".")
        git(self.clone, "commit", "--quiet", "-m", "toy")
        self.commit = git(self.clone, "rev-parse", "HEAD")
        self.write("repos.json", [{"repo": REPO, "commit": self.commit}])
        self.write("exhaustive.json", {"files": [{"repo": REPO, "path": path} for path in ("train.py", "helpers.py")]})
        self.write_labels(self.defect(), self.lookalike(LOGGED), self.lookalike(SAVED))
        self.rounds = directory / "rounds.json"
        self.rounds.write_text('{"rounds": []}')

    def label(self, line: int, /, **said: object) -> dict[str, object]:
        judgement = {"issue": SYNC, "kind": "item", "why": "each step", "confidence": "high", "scope": "line"}
        return {**skeleton(self.clone, REPO, "train.py", line), **judgement, **said}

    def defect(self, **said: object) -> dict[str, object]:
        return self.label(ITEM, **{"verdict": "tp", "group": "total", **said})

    def lookalike(self, line: int, **said: object) -> dict[str, object]:
        return self.label(line, **{"verdict": "trap", "group": None, **said})

    def write(self, name: str, data: object) -> None:
        (self.labels / name).write_text(json.dumps(data))

    def write_labels(self, *labels: dict[str, object]) -> None:
        (self.labels / "labels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))

    def write_run(self, *findings: dict[str, object], failures: Sequence[dict[str, object]] = ()) -> None:
        report = {"findings": findings, "failures": failures, "counts": {"files": 2}}
        (self.runs / "toy.json").write_text(json.dumps(report))

    def step(self, name: str, *options: object) -> int:
        given_to = {
            "check-labels": ("--labels", self.labels, "--clones", self.clones),
            "readings": ("--labels", self.labels, "--clones", self.clones, "--runs", self.runs, "--seed", 1),
            "score-round": (
                *("--labels", self.labels, "--clones", self.clones, "--runs", self.runs, "--rounds", self.rounds),
            ),
        }
        return main([name, *map(str, (*given_to.get(name, ()), *options))])


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


def finding(line: int = ITEM, **changes: object) -> dict[str, object]:
    said = {
        "code": "TRN201",
        "message": "waits",
        "help": "add up on the device",
        "confidence": "certain",
        "heat": "step",
    }
    place = {"path": "train.py", "span": {"start_line": line}, "chain": [f"line {line - 6}: for"], "fix": None}
    return {**said, **place, **changes}


# Drawing repositories

POOL = tuple(f"Owner/Repo{number}" for number in range(12))


@given(st.integers(), st.sets(st.sampled_from(POOL), max_size=7))
def test_a_draw_leaves_out_what_was_used_and_can_be_repeated(seed: int, before: set[str]) -> None:
    repos = drawn(POOL, [repo.upper() for repo in before], count=5, seed=seed)
    assert len(set(repos)) == len(repos) == min(5 + SPARE, len(POOL) - len(before))
    assert not before & set(repos)
    assert drawn(reversed(POOL), before, count=5, seed=seed) == repos


def test_another_seed_draws_others() -> None:
    assert len({drawn(POOL, (), count=5, seed=seed)[:5] for seed in range(10)}) > 1


def test_too_few_left_are_no_round() -> None:
    with pytest.raises(ValueError, match="5 repositories are asked for, and the pool has 4 left"):
        drawn(POOL, POOL[:8], count=5, seed=1)


def test_two_clones_never_lie_in_one_place() -> None:
    assert len(drawn(["one/same", "other/Same"], (), count=1, seed=1)) == 1


def test_what_to_clone_is_printed_and_nothing_is_fetched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = ["a/used", "a/running", "a/labelled", "a/read"]
    (tmp_path / "pool.json").write_text(json.dumps({"repos": [*others, "a/one", "a/two"]}))
    (tmp_path / "rounds.json").write_text(json.dumps({"rounds": [as_json(["a/used"])]}))
    (tmp_path / "drawn.txt").write_text("# read\na/read\n")
    (tmp_path / "development/round_1").mkdir(parents=True)
    (tmp_path / "development/round_1/repos.json").write_text(json.dumps([{"repo": "a/labelled"}]))
    options = ["--pool", str(tmp_path / "pool.json"), "--rounds", str(tmp_path / "rounds.json"), "--seed", "3"]
    assert main(["draw", *options, "--count", "1", "--leave-out", "a/running"]) == 0
    first, clone, spare = capsys.readouterr().out.splitlines()
    assert first == "# Drawn with seed 3"
    assert {clone.split()[2], spare.split()[-1]} in (
        {"https://github.com/a/one", "a/two"},
        {"https://github.com/a/two", "a/one"},
    )


@pytest.mark.parametrize("repo", ["a/b; rm -rf ~", "--upload-pack=x/y", "a/..", "alone", 7])
def test_a_pool_holds_names_and_no_commands(tmp_path: Path, repo: object) -> None:
    (tmp_path / "pool.json").write_text(json.dumps({"repos": ["a/good", repo]}))
    with pytest.raises(BadFile, match='is no "owner/name"'):
        read_pool(tmp_path / "pool.json")


def test_without_spares_none_are_named() -> None:
    assert draw_text(["a/b"], count=1, seed=1).splitlines() == [
        "# Drawn with seed 1",
        "git clone https://github.com/a/b CLONES/b",
    ]


# The sheet for a labeller


def test_the_sheet_shows_loops_loaders_modules_and_imports() -> None:
    of = facts("train.py", TRAIN.encode())
    assert (of.lines, of.imports) == (len(TRAIN.splitlines()), ("torch",))
    assert of.loops == (f"{line_of('for step')} in train: backward, step",)
    assert of.loaders == (f"{line_of('return DataLoader')}: DataLoader",)
    assert of.modules == (f"{line_of('class Net')}: Net",)


def test_the_sheet_names_every_tracked_file_and_what_it_could_not_read(toy: Toy, tmp_path: Path) -> None:
    (toy.clone / "old.py").write_text("print 'Python 2'\n")
    (tmp_path / "secret.py").write_text("import torch\n")
    (toy.clone / "link.py").symlink_to(tmp_path / "secret.py")
    git(toy.clone, "add", ".")
    text = sheet_text(facts_of_clone(toy.clone))
    torch, others, unread = text.split("\n\n")
    assert torch.startswith("train.py, ")
    assert "helpers.py, 2 lines" in others
    assert "link.py: it is a link out of the clone" in unread
    assert "old.py: it is no Python 3" in unread


def test_the_sheet_does_not_import_the_rules(toy: Toy) -> None:
    code = (
        "import sys; from benchmarks.accuracy.rounds.__main__ import main;"
        f"main(['sheet', '--clone', {str(toy.clone)!r}, '--repo', 'a/b']);"
        "assert not [name for name in sys.modules if name.startswith(('trainlint_rules', 'trainlint.analysis'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=PAGE.parents[1])


def test_a_label_starts_with_what_can_be_looked_up(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sheet", "--clone", str(toy.clone), "--repo", REPO, f"train.py:{ITEM}", "train.py:1"]) == 0
    inside, outside = map(json.loads, capsys.readouterr().out.splitlines())
    assert (inside["commit"], inside["func"], inside["in_loop"]) == (toy.commit, "train", True)
    assert (inside["stmt"], inside["verdict"]) == ([ITEM, ITEM], "")
    assert (outside["func"], outside["in_loop"]) == (None, False)


def test_what_a_for_goes_through_is_not_in_the_loop(toy: Toy) -> None:
    assert skeleton(toy.clone, REPO, "train.py", line_of("for step"))["in_loop"] is False


@pytest.mark.parametrize("place", ["train.py", "train.py:0", "train.py:999", "none.py:1"])
def test_a_place_that_is_none_is_named(toy: Toy, capsys: pytest.CaptureFixture[str], place: str) -> None:
    assert main(["sheet", "--clone", str(toy.clone), "--repo", REPO, place]) == 2
    assert place.split(":")[0] in capsys.readouterr().err


# Looking labels over


def test_good_labels_have_no_mistakes(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert mistakes(toy.labels, toy.clones) == ()
    assert toy.step("check-labels") == 0
    assert capsys.readouterr().out == "The labels can be scored.\n"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"line": 999, "stmt": None}, "train.py:999 is labelled but not there"),
        ({"line_sha1": "0" * 12}, "is not the line that was labelled"),
        ({"issue": "slow"}, 'the issue "slow" is not in the vocabulary'),
        ({"verdict": "maybe"}, "\"verdict\" is 'maybe' and must be one of: tp, trap"),
        ({"confidence": ""}, "\"confidence\" is '' and must be one of: high, medium, low"),
        ({"scope": None}, '"scope" is None and must be one of: line, file, interproc'),
        ({"kind": ""}, '"kind" is missing or no text'),
        ({"in_loop": "yes"}, '"in_loop" is neither true nor false'),
        ({"func": 3}, '"func" is neither the name of a function nor null'),
        ({"group": None}, "is a defect without a group"),
        ({"group": ""}, "is a defect without a group"),
        ({"commit": "0ff"}, "at 0ff is not in repos.json"),
    ],
)
def test_a_wrong_label_is_told_in_a_sentence(
    toy: Toy, capsys: pytest.CaptureFixture[str], change: dict[str, object], complaint: str
) -> None:
    toy.write_labels(toy.defect(**change), toy.lookalike(LOGGED), toy.lookalike(SAVED))
    assert toy.step("check-labels") == 1
    assert [line for line in capsys.readouterr().out.splitlines() if complaint in line]


def test_every_wrong_label_is_told_and_not_the_first_alone(toy: Toy) -> None:
    toy.write_labels(toy.defect(issue="slow"), toy.lookalike(LOGGED, verdict="maybe"))
    first, second = mistakes(toy.labels, toy.clones)
    assert "entry 1: the issue" in first
    assert 'entry 2: "verdict"' in second


def test_a_group_is_one_defect_of_one_repository(toy: Toy) -> None:
    toy.write_labels(toy.defect(), toy.lookalike(LOGGED, group="total"), toy.lookalike(SAVED))
    (sentence,) = mistakes(toy.labels, toy.clones)
    assert sentence.startswith('the group "total" mixes defects and look-alikes')


def test_a_name_of_a_group_is_used_in_one_repository_alone(toy: Toy) -> None:
    toy.write("repos.json", [{"repo": name, "commit": toy.commit} for name in (REPO, "somebody/else")])
    toy.write_labels(toy.defect(), toy.defect(repo="somebody/else"), toy.lookalike(LOGGED), toy.lookalike(SAVED))
    assert [each for each in mistakes(toy.labels, toy.clones) if "lines of several repositories" in each]


def test_a_line_is_labelled_once_with_an_issue(toy: Toy) -> None:
    toy.write_labels(toy.defect(), toy.defect(), toy.lookalike(LOGGED), toy.lookalike(SAVED))
    (sentence,) = mistakes(toy.labels, toy.clones)
    assert sentence == f"{REPO} train.py:{ITEM} has 2 labels of {SYNC}"


@pytest.mark.parametrize("lookalikes", [[LOGGED], [LOGGED, SAVED, 1, 2]])
def test_there_are_about_two_lookalikes_for_a_defect(toy: Toy, lookalikes: list[int]) -> None:
    toy.write_labels(toy.defect(), *map(toy.lookalike, lookalikes))
    (sentence,) = mistakes(toy.labels, toy.clones)
    assert f"1 defects and {len(lookalikes)} look-alikes" in sentence


def test_two_files_are_exhaustive_and_there(toy: Toy) -> None:
    toy.write("exhaustive.json", {"files": [{"repo": REPO, "path": "gone.py"}]})
    number, gone = mistakes(toy.labels, toy.clones)
    assert "has 1 exhaustive files" in number
    assert gone == f"exhaustive.json: {REPO} has no file gone.py"


def test_a_repository_without_labels_is_named(toy: Toy) -> None:
    toy.write_labels()
    assert mistakes(toy.labels, toy.clones) == (f"{REPO} has no label",)


# The one run


def test_a_run_is_read_with_what_readers_are_to_judge(toy: Toy) -> None:
    toy.write_run(finding(path=str(toy.clone / "train.py")), finding(LOGGED, fix={"title": "Stop"}))
    runs = read_runs([REPO], toy.clones, toy.runs)
    assert [(each.flag.path, each.flag.line, each.help) for each in runs.findings] == [
        ("train.py", ITEM, "add up on the device"),
        ("train.py", LOGGED, "add up on the device"),
    ]
    assert runs.findings[1].fix == {"title": "Stop"}


@pytest.mark.parametrize("path", ["clones/toy/train.py", "/etc/passwd", "../../labels/repos.json"])
def test_a_run_started_elsewhere_is_refused(toy: Toy, path: str) -> None:
    toy.write_run(finding(path=path))
    with pytest.raises(CannotScore, match="which is not in it"):
        read_runs([REPO], toy.clones, toy.runs)


def test_a_run_that_shows_more_than_the_default_is_refused(toy: Toy) -> None:
    toy.write_run(finding(confidence="likely"), finding(LOGGED, confidence="possible"))
    with pytest.raises(CannotScore, match="run trainlint without options"):
        read_runs([REPO], toy.clones, toy.runs)


def test_a_missing_run_is_not_taken_for_silence(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.step("score-round") == 2
    assert "toy.json cannot be read" in capsys.readouterr().err


DEFECT = Label(
    REPO, "train.py", 10, SYNC, Verdict.DEFECT, "item", "why", Confidence.HIGH, Scope.LINE, "0" * 12, 10, 10, "total"
)
LOOKALIKE = replace(DEFECT, line=20, first_line=20, last_line=20, verdict=Verdict.LOOKALIKE, group=None)
LABELS = LabelSet(((REPO, "c0ffee"),), (DEFECT, LOOKALIKE), frozenset({(REPO, "train.py")}), ())


def test_a_related_place_finds_a_defect() -> None:
    at_the_cause = Flag(REPO, "helpers.py", 3, "TRN201", related=(("train.py", 10),))
    assert figures(score(LABELS, [at_the_cause])).recall == Share(1, 1)
    assert recall_at_findings(score(LABELS, [at_the_cause])) == Share(0, 1)
    assert recall_at_findings(score(LABELS, [replace(at_the_cause, path="train.py", line=10)])) == Share(1, 1)
    assert figures(score(LABELS, [replace(at_the_cause, related=())])).recall == Share(0, 1)


def test_a_related_place_makes_a_finding_right_and_flags_no_lookalike() -> None:
    beside = Flag(REPO, "train.py", 50, "TRN201", related=(("train.py", 10), ("train.py", 20)))
    assert figures(score(LABELS, [beside])) == figures(score(LABELS, [replace(beside, line=10, related=())]))
    assert figures(score(LABELS, [beside])).lookalikes == Share(0, 1)


def test_a_finding_on_a_lookalike_is_wrong_whatever_it_is_related_to() -> None:
    on_it = Flag(REPO, "train.py", 20, "TRN201", related=(("train.py", 10),))
    of = figures(score(LABELS, [on_it]))
    assert (of.recall, of.lookalikes, of.precision) == (Share(0, 1), Share(1, 1), Share(0, 1))


def test_in_a_file_that_was_not_judged_defects_are_missed_and_lookalikes_do_not_count() -> None:
    of = figures(score_runs(LABELS, Runs((), ((REPO, "train.py", "Python 2"),))))
    assert (of.recall, of.lookalikes) == (Share(0, 1), Share(0, 0))
    assert figures(score_runs(LABELS, Runs((), ()))).lookalikes == Share(0, 1)


def test_related_places_of_a_report_are_read(toy: Toy) -> None:
    toy.write_run(
        finding(related=[{"path": str(toy.clone / "helpers.py"), "line": 2, "column": 1, "message": "calls it"}])
    )
    (read,) = read_runs([REPO], toy.clones, toy.runs).findings
    assert read.flag.related == (("helpers.py", 2),)


# Forms for readers


def reported(code: str, repo: str, line: int) -> Reported:
    return Reported(Flag(repo, "train.py", line, code, "waits"), "move it", {}, ())


MANY = [
    *(reported("TRN201", "a/big", line) for line in range(1, 30)),
    reported("TRN201", "a/small", 1),
    reported("TRN205", "a/big", 1),
    reported("TRN001", "a/big", 1),
]


@given(st.randoms(use_true_random=False), st.integers(0, 40), st.integers(0, 5))
def test_findings_are_drawn_over_rules_and_repositories(order: object, count: int, seed: int) -> None:
    shuffled = list(MANY)
    order.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis types its random as an object of its own
    chosen = drawn_findings(shuffled, count=count, seed=seed)
    assert chosen == drawn_findings(MANY, count=count, seed=seed)
    assert len(chosen) == len(set(map(str, chosen))) == min(count, len(MANY) - 1)
    if count >= 2:
        assert {each.flag.code for each in chosen[:2]} == {"TRN201", "TRN205"}
    if count >= 3:
        assert {each.flag.repo for each in chosen if each.flag.code == "TRN201"} == {"a/big", "a/small"}


def test_a_file_that_cannot_be_read_is_no_finding_to_judge() -> None:
    assert "TRN001" not in {each.flag.code for each in drawn_findings(MANY, count=99, seed=1)}


def test_a_form_shows_code_and_what_the_fix_changes(toy: Toy) -> None:
    start = TRAIN.index("loss.item()")
    edits = [{"start": start, "stop": start + len("loss.item()"), "text": "loss.detach()"}]
    toy.write_run(finding(fix={"title": "Keep it there", "safety": "safe", "edits": edits}))
    out = toy.directory / "form.json"
    assert toy.step("readings", "--out", out) == 0
    (entry,) = json.loads(out.read_text())["findings"]
    assert f">{ITEM:5}         total += loss.item()" in entry["code_around"]
    assert "+        total += loss.detach()" in entry["diff"]
    assert (entry["message_verdict"], entry["fix_verdict"]) == ("", "")


def test_a_finding_without_help_and_fix_asks_for_no_verdict_on_them(toy: Toy) -> None:
    toy.write_run(finding(help=None))
    assert toy.step("readings", "--out", toy.directory / "form.json") == 0
    (entry,) = json.loads((toy.directory / "form.json").read_text())["findings"]
    assert entry["fix_verdict"] == "none"


def test_a_form_is_never_written_over(toy: Toy) -> None:
    toy.write_run(finding())
    (toy.directory / "form.json").write_text("filled in")
    assert toy.step("readings", "--out", toy.directory / "form.json") == 2
    assert (toy.directory / "form.json").read_text() == "filled in"


@pytest.mark.parametrize("edits", ["all", [{"start": 0}], [{"start": 5, "stop": 99, "text": ""}]])
def test_a_fix_of_an_unknown_shape_is_refused(edits: object) -> None:
    with pytest.raises(CannotScore, match="unknown shape"):
        fix_as_diff("x = 1\n", {"title": "Fix", "edits": edits})


# Two readers


def reading(message: str, fix: str = "right", *, code: str = "TRN201") -> Reading:
    return Reading(REPO, "train.py", 10, code, "certain", "waits", message, fix)


def read_by_two(*verdicts: tuple[str, str]) -> list[Pair]:
    return [Pair(reading(first), reading(second)) for first, second in verdicts]


def test_where_readers_differ_the_worse_verdict_counts() -> None:
    of = read_by_two(("right", "right"), ("right", "doubtful"), ("wrong", "right"), ("doubtful", "wrong"))
    assert read_figures(of).messages == (1, 1, 2)
    assert right(of, lambda pair: pair.message) == Share(1, 4)
    assert agreed(of, lambda one: one.message) == Share(1, 4)


def test_kappa_is_agreement_beyond_chance() -> None:
    # The textbook case: 20 and 15 agreed, 5 and 10 not; observed 0.7, by chance 0.5.
    of = read_by_two(
        *[("right", "right")] * 20, *[("right", "wrong")] * 5, *[("wrong", "right")] * 10, *[("wrong", "wrong")] * 15
    )
    assert kappa(of, lambda one: one.message) == pytest.approx(0.4)


def test_readers_who_only_ever_say_one_thing_have_no_kappa() -> None:
    assert kappa(read_by_two(("right", "right")), lambda one: one.message) is None
    assert kappa([], lambda one: one.message) is None


def test_rules_weigh_as_much_as_they_have_findings() -> None:
    rare = Pair(reading("wrong", code="TRN205"), reading("wrong", code="TRN205"))
    of = [*read_by_two(("right", "right")), rare]
    assert right(of, lambda pair: pair.message) == Share(1, 2)
    assert weighted_right(of, {"TRN201": 9, "TRN205": 1, "TRN303": 50}) == pytest.approx(0.9)
    assert weighted_right([], {"TRN201": 9}) is None


class Forms:
    """Two copies of the form of a run with two findings."""

    def __init__(self, toy: Toy) -> None:
        toy.write_run(finding(), finding(LOGGED, help=None))
        toy.step("readings", "--out", toy.directory / "form.json")
        self.paths = [toy.directory / name for name in ("first.json", "second.json")]
        self.form = json.loads((toy.directory / "form.json").read_text())

    def fill(self, reader: int, *messages: str, fix: str = "right", **changes: object) -> Path:
        form = json.loads(json.dumps({**self.form, **changes}))
        for entry, message in zip(form["findings"], messages, strict=True):
            entry["message_verdict"] = message
            entry["fix_verdict"] = entry["fix_verdict"] or fix
            entry["note"] = f"said by reader {reader}"
        self.paths[reader].write_text(json.dumps(form))
        return self.paths[reader]


@pytest.fixture
def forms(toy: Toy) -> Forms:
    return Forms(toy)


def test_two_forms_are_merged_with_intervals_and_disagreements(
    forms: Forms, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = forms.fill(0, "right", "right"), forms.fill(1, "right", "wrong")
    capsys.readouterr()
    assert main(["merge-readings", *map(str, paths)]) == 0
    printed = capsys.readouterr().out
    assert "0.50 (1/2)  0.09 to 0.91" in printed
    assert "The readers differ (1)" in printed
    assert "message: right and wrong" in printed
    assert "second reader: said by reader 1" in printed


def test_a_form_that_is_not_filled_in_names_each_gap(forms: Forms) -> None:
    path = forms.fill(0, "", "perhaps")
    with pytest.raises(BadFile) as caught:
        read_form(path)
    first, second = str(caught.value).splitlines()
    assert "entry 1: \"message_verdict\" is '' and must be one of: right, doubtful, wrong" in first
    assert "entry 2: \"message_verdict\" is 'perhaps'" in second


def test_forms_of_different_draws_are_not_merged(forms: Forms) -> None:
    first, second = forms.fill(0, "right", "right"), forms.fill(1, "right", "right")
    assert len(pairs(read_form(first), read_form(second))) == 2
    forms.fill(1, "right", findings=forms.form["findings"][:1])
    with pytest.raises(BadFile, match="copies of one form"):
        pairs(read_form(first), read_form(second))
    forms.fill(1, "right", "right", found={"TRN201": 7})
    with pytest.raises(BadFile, match="copies of one form"):
        pairs(read_form(first), read_form(second))


# The list of rounds and the page


BLIND = BlindFigures(Share(7, 10), (("line", Share(5, 6)), ("interproc", Share(2, 4))), Share(0, 20), Share(3, 4))
ROWS = (ReadRow("TRN201", "a/one", "certain", 5, 1, 0), ReadRow("TRN205", "a/one", "likely", 3, 0, 1))
READ = ReadFigures(ROWS, (6, 2, 0), Share(9, 10), 0.75)


def toy_round(*repos: str) -> Round:
    return Round(date(2001, 2, 3), "c0ffee", 7, tuple((repo, "0123456789") for repo in repos), BLIND, READ)


def as_json(names: list[str], **changes: object) -> dict[str, object]:
    blind = {"recall": [7, 10], "scopes": {"line": [5, 6]}, "lookalikes": [0, 20], "precision": [3, 4]}
    listed = [{"repo": repo, "commit": "0123456789"} for repo in names]
    return {
        "date": "2001-02-03",
        "commit": "c0ffee",
        "seed": 7,
        "repos": listed,
        "blind": blind,
        "read": None,
        **changes,
    }


def test_rounds_are_read_as_written(toy: Toy) -> None:
    rounds = (toy_round("a/one", "a/two"), replace(toy_round("a/three"), read=None))
    for each in rounds:
        add_round(toy.rounds, each)
    assert read_rounds(toy.rounds) == rounds
    assert used(rounds) == ("a/one", "a/two", "a/three")


def test_only_the_first_run_on_a_repository_counts(toy: Toy) -> None:
    add_round(toy.rounds, toy_round("a/one"))
    with pytest.raises(BadFile, match="only the first run on a repository counts"):
        add_round(toy.rounds, toy_round("A/One", "a/two"))
    assert len(read_rounds(toy.rounds)) == 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"date": "today"}, '"date" is "today" and no day'),
        ({"seed": "7"}, '"seed"'),
        ({"repos": []}, '"repos"'),
        ({"blind": {"recall": [8, 7]}}, '"scopes" is missing'),
        ({"blind": {"recall": [8, 7], "scopes": {}}}, '"recall" counts 8 of 7'),
        ({"blind": {"recall": [1, 7], "scopes": {"town": [1, 2]}}}, "there is no scope town"),
        ({"read": {"messages": [1, 2]}, "seed": 1}, '"messages"|"kappa"'),
        (
            {"read": {"messages": [["TRN201", "a/two", "certain", 1, 0]]}},
            "has a row that is not rule, repository, level",
        ),
        ({"read": {"messages": [["TRN201", "a/two", "certain", 1, 0, -1]]}}, "has a row that is not"),
        ({"read": {"kappa": 3}}, '"kappa" is neither null nor a number'),
    ],
)
def test_a_wrong_round_is_named(toy: Toy, change: dict[str, object], complaint: str) -> None:
    toy.rounds.write_text(json.dumps({"rounds": [as_json(["a/one"]), as_json(["a/two"], **change)]}))
    with pytest.raises(BadFile, match=rf"rounds\.json, entry 2: .*({complaint})"):
        read_rounds(toy.rounds)


def test_a_list_that_names_a_repository_twice_is_refused(toy: Toy) -> None:
    toy.rounds.write_text(json.dumps({"rounds": [as_json(["a/one"]), as_json(["a/two", "A/One"])]}))
    with pytest.raises(BadFile, match="a repository counts once, and these are in two rounds: a/one"):
        read_rounds(toy.rounds)


def test_the_table_shows_each_share_with_its_interval() -> None:
    _, _, first, second = rounds_table([toy_round("a/one"), replace(toy_round("a/two"), read=None)]).splitlines()
    assert "a/one at 0123456 (seed 7)" in first
    assert "0.70 (7/10), 0.40 to 0.89" in first
    assert "0.83 (5/6), -, 0.50 (2/4)" in first
    assert "0.90 (9/10), kappa 0.75" in first
    assert second.count("not read") == 3


def test_the_page_is_written_between_its_markers_and_checked(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    page = toy.directory / "page.md"
    markers = ("rounds", "rounds-levels", "rounds-rules")
    page.write_text("".join(f"before\n<!-- {name}:start -->\n<!-- {name}:end -->\nafter\n" for name in markers))
    options = ["page", "--page", str(page), "--rounds", str(toy.rounds)]
    assert main([*options, "--check"]) == 1
    assert "is stale" in capsys.readouterr().out
    assert main(options) == 0
    assert "No round has been scored yet." in page.read_text()
    assert main([*options, "--check"]) == 0
    add_round(toy.rounds, toy_round("a/one"))
    assert main([*options, "--check"]) == 1


def test_the_page_of_this_repository_is_fresh() -> None:
    assert main(["page", "--check"]) == 0, "run `python -m benchmarks.accuracy.rounds page`"


# The whole way


def test_a_round_from_the_run_to_the_page(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "trainlint", "check", ".", "--isolated", "--exit-zero", "--output-format", "json"]
    report = subprocess.run(command, cwd=toy.clone, check=True, capture_output=True, text=True).stdout
    (toy.runs / "toy.json").write_text(report)
    assert toy.step("readings", "--out", toy.directory / "form.json") == 0
    form = json.loads((toy.directory / "form.json").read_text())
    assert Counter(form["found"]) == Counter(each["code"] for each in json.loads(report)["findings"])
    for entry in form["findings"]:
        entry["message_verdict"] = "right"
        entry["fix_verdict"] = entry["fix_verdict"] or "right"
    (toy.directory / "form.json").write_text(json.dumps(form))
    filled = ["--forms", toy.directory / "form.json", toy.directory / "form.json"]
    record = ["--record", "--date", "2001-02-03", "--commit", "c0ffee", "--seed", "7"]
    assert toy.step("score-round", "--misses", *filled, *record) == 0
    (recorded,) = read_rounds(toy.rounds)
    assert (recorded.blind.recall, recorded.blind.lookalikes) == (Share(1, 1), Share(0, 2))
    assert recorded.read is not None
    assert sum(recorded.read.messages) == len(form["findings"])
    assert "strict precision" in capsys.readouterr().out
    assert toy.step("score-round", *record) == 2


def test_lower_levels_are_read_apart(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    toy.write_run(finding(), finding(LOGGED, confidence="possible"))
    assert toy.step("readings", "--out", toy.directory / "default.json") == 2
    assert "run trainlint without options" in capsys.readouterr().err
    low = toy.directory / "low.json"
    assert toy.step("readings", "--below-default", "--out", low) == 0
    form = json.loads(low.read_text())
    assert [each["confidence"] for each in form["findings"]] == ["possible"]
    toy.write_run(finding())
    default = toy.directory / "default.json"
    assert toy.step("readings", "--out", default) == 0
    for path in (low, default):
        form = json.loads(path.read_text())
        form["findings"][0] |= {"message_verdict": "wrong", "fix_verdict": "wrong"}
        path.write_text(json.dumps(form))
    record = ["--record", "--date", "2001-02-03", "--commit", "c0ffee", "--seed", "7"]
    assert toy.step("score-round", "--forms", default, default, "--below", low, low, *record) == 0
    (recorded,) = read_rounds(toy.rounds)
    assert recorded.read is not None
    assert recorded.read.messages == (0, 0, 1)
    assert [row.level for row in recorded.read.below] == ["possible"]


def test_a_round_is_recorded_only_with_what_it_is_about(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    toy.write_run(finding())
    assert toy.step("score-round", "--record", "--seed", "7") == 2
    assert "--record also needs --date, --commit" in capsys.readouterr().err
    assert read_rounds(toy.rounds) == ()


def test_labels_of_a_round_need_no_mended_lines(toy: Toy) -> None:
    assert len(read_labels(toy.labels, mended=False).labels) == 3
    with pytest.raises(BadFile, match=r"fixes\.jsonl"):
        read_labels(toy.labels)
