"""`trainlint check --evidence`: what a run proved stands beside findings, orders them, and may decide the exit code."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.test_output import git
from tests.cli.test_startup import CLEAN, imports
from tests.probe import samples
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import OUTCOMES
from trainlint.evidence.verdicts import Judged, State, Verdict
from trainlint_probe.report.document import document
from trainlint_probe.result import Result

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

TRAIN = "import torch\nsafe()\nnumeric()\nunsafe()\nsafe()\n"
OTHER = "import torch\nsafe()\n"
SCHEMA = json.loads((files("trainlint.report") / "schema/check.schema.json").read_text(encoding="utf-8"))
SLOW_LOADER = Path(__file__).parents[1] / "probe/scripts/slow_loader.py"


def verdict(place: str, code: str, state: State, cost: float | None = None) -> Verdict:
    path, _, line = place.rpartition(":")
    of_cost = Interval(cost, cost) if cost is not None else None
    share = Interval(cost / 50, cost / 50) if cost is not None else None
    sentence = f"it took {cost} ms of a step of 50.0 ms" if cost is not None else "it was not seen"
    return Verdict(code, "toy", Line(path, int(line)), state, sentence, of_cost, share, 1.0, "timer")


CONFIRMED = verdict("train.py:4", "TOY103", State.CONFIRMED, 9.0)
DEARER = verdict("train.py:5", "TOY101", State.CONFIRMED, 31.3)
REFUTED = verdict("train.py:2", "TOY101", State.REFUTED, 0.1)
UNSEEN = verdict("train.py:3", "TOY102", State.NOT_OBSERVED)
VERDICTS = (CONFIRMED, DEARER, REFUTED, UNSEEN)


def evidence(*verdicts: Verdict, sources: Mapping[str, str] | None = None, directory: str | None = None) -> str:
    """The probe's document on these verdicts, taken when the sources were these."""
    texts = sources or {"train.py": TRAIN}
    digests = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in texts.items()}
    return document(Result((samples.run(),), verdicts, judged=Judged(directory, digests)))


@pytest.fixture
def measured(toys: Program, write: Write) -> Program:
    """A project with a script that was measured, a file that was not, and the evidence."""
    write("train.py", TRAIN)
    write("a_helper.py", OTHER)
    write("evidence.json", evidence(*VERDICTS))
    return toys


def concise(program: Program, *arguments: str) -> list[str]:
    """Place and verdict of each finding, as in "train.py:2 refuted"."""
    result = program("check", "--evidence", "evidence.json", "--output-format", "concise", "-q", *arguments)
    found = [re.match(r"(\S+:\d+):\d+: .*?(?:\[measured: ([a-z ,]+):.*)?$", line) for line in result.out.splitlines()]
    return [f"{each[1]} {each[2] or '-'}" for each in found if each]


class TestOfAnotherScript:
    def test_that_it_says_nothing_of_these_findings_is_said(self, measured: Program) -> None:
        result = measured("check", "--evidence", "evidence.json", "a_helper.py")
        said = "evidence.json says nothing of these findings: it is of another run (30 steps of train.py on cuda)"
        assert f"note: {said}, and about train.py\n" in result.err
        assert result.code == 1

    def test_where_it_speaks_of_one_of_the_files_nothing_is_said(self, measured: Program) -> None:
        assert measured("check", "--evidence", "evidence.json").err == ""

    def test_where_nothing_is_found_nothing_is_said(self, measured: Program, write: Write) -> None:
        write("clean.py", "import torch\n")
        assert measured("check", "--evidence", "evidence.json", "clean.py").err == ""


class TestShown:
    def test_what_is_confirmed_comes_first_by_its_cost_and_what_is_refuted_last(self, measured: Program) -> None:
        assert concise(measured) == [
            "train.py:5 confirmed",
            "train.py:4 confirmed",
            "a_helper.py:2 -",
            "train.py:3 not observed",
            "train.py:2 refuted",
        ]

    def test_people_read_why(self, measured: Program) -> None:
        page = measured("check", "--evidence", "evidence.json").out
        assert "  measured: confirmed: it took 31.3 ms of a step of 50.0 ms (30 steps of train.py on cuda)\n" in page
        assert "  measured: refuted: it took 0.1 ms of a step of 50.0 ms (30 steps of train.py on cuda)\n" in page
        assert page.index("train.py:5:1") < page.index("train.py:4:1") < page.index("a_helper.py:2:1")
        assert page.count("  measured:") == 4

    def test_json_has_verdicts_as_fields_and_keeps_its_order(self, measured: Program) -> None:
        whole = json.loads(measured("check", "--evidence", "evidence.json", "--output-format", "json").out)
        Draft202012Validator(SCHEMA).validate(whole)
        assert whole["evidence"] == {"path": "evidence.json", "run": "30 steps of train.py on cuda", "stale": []}
        found = whole["findings"]
        places = [(each["path"], each["span"]["start_line"]) for each in found]
        assert places == sorted(places)
        assert found[0]["measured"] is None
        assert found[4]["measured"] == {
            "state": "confirmed",
            "sentence": "it took 31.3 ms of a step of 50.0 ms",
            "cost": {"low": 31.3, "high": 31.3},
            "share": {"low": 0.626, "high": 0.626},
            "per_step": 1.0,
            "basis": "timer",
        }
        assert found[2]["measured"]["cost"] is None
        assert undeclared(whole) == set()

    def test_sarif_has_them_as_properties(self, measured: Program) -> None:
        log = json.loads(measured("check", "--evidence", "evidence.json", "--output-format", "sarif").out)
        states = [(each["properties"]["measured"] or {}).get("state") for each in log["runs"][0]["results"]]
        assert states == [None, "refuted", "not observed", "confirmed", "confirmed"]

    def test_a_cost_without_a_bound_is_null_in_json(self, measured: Program, write: Write) -> None:
        write("evidence.json", evidence(replace(CONFIRMED, cost=Interval(9.0, inf))))
        whole = json.loads(measured("check", "--evidence", "evidence.json", "--output-format", "json").out)
        Draft202012Validator(SCHEMA).validate(whole)
        (found,) = [each["measured"] for each in whole["findings"] if each["measured"]]
        assert found["cost"] == {"low": 9.0, "high": None}

    def test_annotations_say_it(self, measured: Program) -> None:
        lines = measured("check", "--evidence", "evidence.json", "--output-format", "github").out.splitlines()
        assert lines[0].startswith("::warning file=train.py,line=5")
        assert lines[0].endswith(
            "%0A(measured: confirmed: it took 31.3 ms of a step of 50.0 ms (30 steps of train.py on cuda))"
        )
        assert "measured" not in lines[2]

    def test_statistics_are_the_same(self, measured: Program) -> None:
        assert measured("check", "--statistics", "--evidence", "evidence.json") == measured("check", "--statistics")

    def test_without_evidence_nothing_is_said_of_it_though_results_are_kept(self, measured: Program) -> None:
        first = measured("check", "--evidence", "evidence.json", "--output-format", "json")
        plain = measured("check", "--output-format", "json")
        assert "measured" not in plain.out
        assert "evidence" not in plain.out
        again = measured("check", "--evidence", "evidence.json", "--output-format", "json", "--verbose")
        assert again.out == first.out
        assert "cache: " in again.err

    def test_findings_that_say_the_same_are_shown_as_one_where_a_run_says_the_same_of_them(
        self, toys: Program, write: Write
    ) -> None:
        text = "import torch\n" + "safe()\n" * 6
        write("train.py", text)
        refuted = [verdict(f"train.py:{line}", "TOY101", State.REFUTED, 0.1) for line in (2, 3)]
        write("evidence.json", evidence(*refuted, sources={"train.py": text}))
        page = toys("check", "--evidence", "evidence.json").out
        assert "4 places in lines 4 to 7: " in page
        assert "2 places in lines 2 and 3: " in page
        assert page.count("measured: refuted") == 1

    def test_a_call_over_several_lines_is_met_by_a_line_in_it(self, toys: Program, write: Write) -> None:
        text = "import torch\nsafe(\n    1,\n    2,\n)\n"
        write("train.py", text)
        inside = verdict("train.py:3", "TOY101", State.CONFIRMED, 9.0)
        below = verdict("train.py:6", "TOY101", State.CONFIRMED, 9.0)
        write("evidence.json", evidence(inside, sources={"train.py": text}))
        assert concise(toys) == ["train.py:2 confirmed"]
        write("evidence.json", evidence(below, sources={"train.py": text}))
        assert concise(toys) == ["train.py:2 -"]


def undeclared(whole: Mapping[str, Any]) -> set[str]:
    """Keys of the new objects that the schema does not know."""
    known = SCHEMA["$defs"]
    found = set(whole["evidence"]) - set(known["evidence"]["properties"])
    for finding in whole["findings"]:
        found |= set(finding) - set(known["finding"]["properties"])
        found |= set(finding["measured"] or {}) - set(known["measured"]["properties"])
    return found


class TestExitCode:
    @pytest.mark.parametrize(
        ("verdicts", "code"), [(VERDICTS, 1), ((REFUTED, UNSEEN), 0), ((), 0)], ids=["confirmed", "refuted", "silent"]
    )
    def test_only_what_is_confirmed_fails(
        self, measured: Program, write: Write, verdicts: tuple[Verdict, ...], code: int
    ) -> None:
        write("evidence.json", evidence(*verdicts))
        assert measured("check", "--evidence", "evidence.json").code == 1
        result = measured("check", "--evidence", "evidence.json", "--fail-on", "confirmed")
        assert result.code == code
        assert "Found 5 problems" in result.out

    def test_a_confirmed_finding_fails_whatever_its_severity(self, measured: Program, write: Write) -> None:
        write("trainlint.toml", 'fail-on = "error"\n[severity]\nTOY1 = "advice"\n')
        assert measured("check", "--evidence", "evidence.json").code == 0
        assert measured("check", "--evidence", "evidence.json", "--fail-on", "confirmed").code == 1
        assert measured("check", "--evidence", "evidence.json", "--fail-on", "confirmed", "--exit-zero").code == 0

    def test_what_could_not_be_judged_wins(self, measured: Program, write: Write) -> None:
        write("broken.py", "import torch\ndef f(:\n")
        assert measured("check", "--evidence", "evidence.json", "--fail-on", "confirmed").code == 2

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--fail-on", "confirmed"], "--fail-on confirmed needs --evidence FILE"),
            (["--evidence", "evidence.json", "--diff"], "leave out --evidence"),
            (["--evidence", "nowhere.json"], "nowhere.json cannot be read (No such file or directory)"),
            (["--evidence", "train.py"], "train.py is not JSON"),
        ],
    )
    def test_wrong_usage_is_2_and_says_why_in_a_line(self, measured: Program, arguments: list[str], said: str) -> None:
        result = measured("check", *arguments)
        assert (result.code, result.out) == (2, "")
        assert said in result.err
        assert result.err.count("\n") == 1

    def test_nothing_is_fixed_on_the_way_to_damage(self, measured: Program, write: Write) -> None:
        write("evidence.json", evidence(*VERDICTS)[:-100])
        assert measured("check", "--fix", "--evidence", "evidence.json").code == 2
        assert (measured.directory / "train.py").read_text() == TRAIN


class TestStale:
    def test_a_file_that_was_changed_is_not_judged_by_old_evidence(self, measured: Program, write: Write) -> None:
        texts = {"train.py": TRAIN, "a_helper.py": OTHER}
        of_helper = verdict("a_helper.py:2", "TOY101", State.CONFIRMED, 1.0)
        write("evidence.json", evidence(*VERDICTS, of_helper, sources=texts))
        write("train.py", f"# a line more\n{TRAIN}")
        assert concise(measured)[0] == "a_helper.py:2 confirmed"
        assert all(re.fullmatch(r"train.py:\d -", line) for line in concise(measured)[1:])
        said = (
            "train.py has changed since evidence.json was written, so its findings are not ranked by it: run "
            "`trainlint probe` again"
        )
        for output_format in ("full", "concise", "github", "sarif"):
            page = measured("check", "--evidence", "evidence.json", "--output-format", output_format).out
            assert " ".join(page.split()).count(said) == 1, output_format
        whole = json.loads(measured("check", "--evidence", "evidence.json", "--output-format", "json").out)
        Draft202012Validator(SCHEMA).validate(whole)
        assert whole["evidence"]["stale"] == ["train.py"]

    def test_an_order_of_no_verdict_is_not_called_that_of_the_run(self, measured: Program, write: Write) -> None:
        page = measured("check", "--evidence", "evidence.json").out
        assert "Begin with these, the dearest in the run that was measured:" in page
        write("train.py", f"# a line more\n{TRAIN}")
        page = measured("check", "--evidence", "evidence.json").out
        assert "Begin with these, the dearest by rule and frequency:" in page

    def test_where_only_what_is_confirmed_fails_old_evidence_is_no_answer(
        self, measured: Program, write: Write
    ) -> None:
        write("train.py", f"{TRAIN}\n")
        said = "could not judge train.py: it has changed since evidence.json was written, so what it costs is not known"
        result = measured(
            "check", "--evidence", "evidence.json", "--fail-on", "confirmed", "--output-format", "concise"
        )
        assert result.code == 2
        assert said in result.out
        assert result.out.count("has changed since") == 1
        assert "not everything could be judged: 1 failure." in result.out
        whole = json.loads(
            measured("check", "--evidence", "evidence.json", "--fail-on", "confirmed", "--output-format", "json").out
        )
        assert whole["evidence"]["stale"] == ["train.py"]
        assert [failure["path"] for failure in whole["failures"]] == ["train.py"]
        assert measured("check", "--evidence", "evidence.json", "--fail-on", "confirmed", "--exit-zero").code == 2

    def test_a_changed_file_without_findings_has_nothing_to_confirm(self, measured: Program, write: Write) -> None:
        write("train.py", "import torch\n")
        assert measured("check", "--evidence", "evidence.json", "--fail-on", "confirmed").code == 0

    def test_a_file_that_was_renamed_is_missed(self, measured: Program, write: Write) -> None:
        texts = {"train.py": TRAIN, "a_helper.py": OTHER}
        write("evidence.json", evidence(*VERDICTS, sources=texts))
        (measured.directory / "train.py").rename(measured.directory / "training.py")
        assert measured("check", "--evidence", "evidence.json").code == 1
        result = measured(
            "check", "--evidence", "evidence.json", "--fail-on", "confirmed", "--output-format", "concise"
        )
        assert result.code == 2
        assert "could not judge train.py: it is gone since evidence.json was written" in result.out

    @pytest.mark.parametrize("outcome", ["no step", "too short", "script failed", "timed out", "safety stop"])
    def test_a_run_that_was_cut_short_clears_nothing(self, measured: Program, write: Write, outcome: str) -> None:
        digests = {"train.py": hashlib.sha256(TRAIN.encode()).hexdigest()}
        short = Result((replace(samples.run(), outcome=outcome),), (UNSEEN,), judged=Judged(None, digests))
        write("evidence.json", document(short))
        assert "measured: not observed" in measured("check", "--evidence", "evidence.json").out
        result = measured("check", "--evidence", "evidence.json", "--fail-on", "confirmed")
        assert (result.code, result.out) == (2, "")
        assert f"evidence.json is of a run that was cut short ({OUTCOMES[outcome]})" in result.err

    def test_what_was_fixed_just_now_has_changed(self, measured: Program) -> None:
        result = measured("check", "--fix", "--evidence", "evidence.json")
        assert "Fixed 3 problems" in result.out
        assert "train.py has changed since" in result.out
        assert "measured:" not in result.out

    def test_code_on_standard_input_is_judged_by_its_own_bytes(self, measured: Program) -> None:
        arguments = ("check", "-", "--stdin-filename", "train.py", "--evidence", "evidence.json")
        assert measured(*arguments, stdin=TRAIN.encode()).out.count("measured:") == 4
        edited = measured(*arguments, "--fail-on", "confirmed", stdin=f"\n{TRAIN}".encode())
        assert edited.code == 2
        assert "could not judge train.py: it has changed since" in edited.out.replace("\n  ", " ")


class TestPlaces:
    @pytest.fixture
    def repository(self, toys: Program, write: Write) -> Program:
        """A repository in which the run was started below its root."""
        git(toys.directory, "init", "-q")
        write("training/train.py", TRAIN)
        write("training/evidence.json", evidence(*VERDICTS, directory="training"))
        return toys

    @pytest.mark.parametrize("start", [".", "training", "elsewhere"])
    def test_in_a_repository_check_may_be_started_anywhere(self, repository: Program, write: Write, start: str) -> None:
        write("elsewhere/notes.txt")
        top = repository.directory
        there = type(repository)(top / start, repository.environment)
        found = there("check", str(top / "training"), "--evidence", str(top / "training/evidence.json"))
        assert found.out.count("  measured:") == 4

    def test_another_clone_does_as_well(self, repository: Program, tmp_path: Path) -> None:
        clone = tmp_path / "clone"
        shutil.copytree(repository.directory, clone)
        there = type(repository)(clone, repository.environment)
        assert there("check", "--evidence", "training/evidence.json").out.count("  measured:") == 4

    def test_files_that_are_not_there_are_told_and_not_passed_over(self, toys: Program, write: Write) -> None:
        write("training/train.py", TRAIN)
        write("evidence.json", evidence(*VERDICTS))
        result = toys("check", "--evidence", "evidence.json", "--fail-on", "confirmed")
        assert (result.code, result.out) == (2, "")
        assert "start trainlint where `trainlint probe` was started" in result.err

    def test_evidence_about_no_file_is_refused(self, measured: Program, write: Write) -> None:
        write("evidence.json", document(Result((samples.run(),), ())))
        result = measured("check", "--evidence", "evidence.json")
        assert result.code == 2
        assert "is about no source file" in result.err


def test_evidence_is_read_only_where_it_is_given(program: Program, write: Write) -> None:
    write("clean.py", CLEAN)
    found = imports(program, "check", "clean.py")
    evidence = {"trainlint.verdict_file", "trainlint.evidence.as_json"}
    assert found.of(evidence | {"trainlint.cli.evidence", "trainlint.report.measured"}) == ""


@pytest.mark.slow
def test_what_the_probe_writes_is_what_check_reads(program: Program, write: Write) -> None:
    """A real training that waits for its loader: a few seconds."""
    git(program.directory, "init", "-q")
    write("train.py", SLOW_LOADER.read_bytes())
    ran = program(
        "probe",
        "--device",
        "cpu",
        "--no-deep",
        "--steps",
        "12",
        "--output-format",
        "json",
        "-o",
        "evidence.json",
        "train.py",
    )
    assert ran.code == 1, ran.err
    result = program("check", "train.py", "--evidence", "evidence.json", "--output-format", "json")
    (finding,) = [each for each in json.loads(result.out)["findings"] if each["code"] == "TRN101"]
    assert finding["measured"]["state"] == "confirmed"
    assert finding["measured"]["share"]["low"] > 0
    of_run = "12 steps of train.py on cpu"
    assert json.loads(result.out)["evidence"] == {"path": "evidence.json", "run": of_run, "stale": []}
    assert program("check", "train.py", "--evidence", "evidence.json", "--fail-on", "confirmed").code == 1
    write("train.py", b"# edited\n" + SLOW_LOADER.read_bytes())
    edited = program("check", "train.py", "--evidence", "evidence.json", "--fail-on", "confirmed")
    assert edited.code == 2
    assert "train.py: it has changed since" in edited.out
