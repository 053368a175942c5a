"""`trainlint judge`: claims about lines, answered from the code alone and from what a run counted."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from trainlint.catalogue import installed_rules
from trainlint.cli import main
from trainlint.engine.why.explain import explain
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Called, Line
from trainlint.evidence.run import Environment, Run, Step
from trainlint.evidence.simulation import DeviceEvent, Price, Simulated
from trainlint.evidence.verdicts import Judged
from trainlint_probe.judgement.static import configured
from trainlint_probe.judging.answers import Answer, State
from trainlint_probe.judging.claims import read_claims
from trainlint_probe.judging.code_facts import code_facts
from trainlint_probe.judging.document import as_json
from trainlint_probe.judging.judge import judged, lines_wanted
from trainlint_probe.judging.run_facts import run_facts
from trainlint_probe.judging.spans import spans_of
from trainlint_probe.judging.written import as_text
from trainlint_probe.report.document import document
from trainlint_probe.result import Result

SCHEMA = json.loads((files("trainlint_probe.report") / "schema/judge.schema.json").read_text(encoding="utf-8"))

TRAIN = """\
import torch


def train(model, criterion, optimizer, train_loader, device):
    model.to(device)
    for step, (inputs, targets) in enumerate(train_loader):
        loss = criterion(model(inputs.to(device)), targets.to(device))
        loss.backward()
        optimizer.step()
        total = loss.item()
        count = helper(loss)
        if step > 1000:
            torch.cuda.empty_cache()


def helper(loss):
    return float(loss)


def unused(loss):
    return loss.item()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(TRAIN.splitlines(), 1) if text in line)


def claim(text: str, kind: str = "wait") -> dict[str, Any]:
    return {"path": "train.py", "line": line_of(text), "kind": kind}


def wait(text: str, count: int, steps: int, *through: str) -> DeviceEvent:
    """Waits at a line, which lines in `through` have called, the innermost first."""
    chain = tuple(Called("train.py", line_of(each), "f") for each in (text, *through))
    return DeviceEvent("wait", "Tensor.item", "train.py", chain[0].line, "f", chain, "", count, steps, 0)


def run_of(*events: DeviceEvent, ran: tuple[str, ...] = ()) -> Run:
    executed = {"train.py": tuple(sorted(line_of(each) for each in ran))}
    simulated = Simulated("H100", 1, events, None, (), 10.0, (0,), executed)
    steps = tuple(Step(1.0, {}) for _ in range(20))
    return Run(("train.py",), Environment({}), "window closed", steps=steps, simulated=simulated)


def answers_to(*claims: Mapping[str, Any], run: Run | None = None) -> tuple[Answer, ...]:
    read = read_claims("\n".join(map(json.dumps, claims)))
    facts = code_facts(lines_wanted(read), configured())
    counted = run_facts(run, Path.cwd(), frozenset()) if run is not None else None
    return judged(read, facts, installed_rules(), counted, {})


@pytest.mark.usefixtures("project")
class TestFromTheCodeAlone:
    def test_a_finding_is_likely_and_never_confirmed(self) -> None:
        (answer,) = answers_to(claim("total ="))
        assert (answer.state, answer.basis, answer.rules) == (State.LIKELY, "code", ("TRN201",))
        assert answer.chain

    def test_a_line_outside_of_the_steps_is_refuted(self) -> None:
        (answer,) = answers_to(claim("import torch"))
        assert answer.state is State.REFUTED
        assert answer.reason == "the line is not in a step: it runs once"

    def test_a_line_that_no_rule_reports_stays_unknown(self) -> None:
        (answer,) = answers_to(claim("loss.backward()"))
        assert answer.state is State.UNKNOWN

    def test_kinds_are_known_by_other_names_and_by_rules(self) -> None:
        answers = answers_to(*(claim("total =", kind) for kind in ("Host_Sync", "trn201", "item-in-training-step")))
        assert [answer.state for answer in answers] == [State.LIKELY] * 3


@pytest.mark.usefixtures("project")
class TestFromARun:
    def test_what_happens_in_each_step_is_confirmed_with_its_count(self) -> None:
        (answer,) = answers_to(claim("total ="), run=run_of(wait("total =", 40, 20)))
        assert (answer.state, answer.basis, answer.per_step) == (State.CONFIRMED, "run", 2.0)
        assert answer.reason == "2 waits a step, in each of 20 steps (Tensor.item)"

    def test_what_a_call_of_the_line_does_is_confirmed_at_its_place(self) -> None:
        (answer,) = answers_to(claim("count ="), run=run_of(wait("float(", 20, 20, "count =")))
        assert answer.state is State.CONFIRMED
        assert answer.reason.endswith(f", at train.py:{line_of('float(')}, which it calls")

    def test_what_is_rare_is_refuted(self) -> None:
        (answer,) = answers_to(claim("total ="), run=run_of(wait("total =", 2, 2)))
        assert answer.state is State.REFUTED
        assert "0.1 a step in the mean" in answer.reason

    def test_a_line_that_ran_without_it_is_refuted(self) -> None:
        (answer,) = answers_to(claim("total ="), run=run_of(ran=("total =",)))
        assert answer.state is State.REFUTED
        assert answer.reason == "never in 20 steps: the line ran, without a wait of the CPU for the GPU"

    def test_a_branch_that_was_not_taken_is_named(self) -> None:
        (answer,) = answers_to(claim("empty_cache", "empty_cache"), run=run_of(ran=("total =",)))
        assert answer.state is State.NOT_REACHED
        assert answer.reason == f"the branch `if step > 1000` of line {line_of('if step')} was not taken in 20 steps"

    def test_a_function_that_was_not_called_is_named(self) -> None:
        (answer,) = answers_to(claim("return loss.item()"), run=run_of(ran=("total =",)))
        assert (answer.state, answer.reason) == (State.NOT_REACHED, "`unused` was not called in 20 steps")


@pytest.mark.usefixtures("project")
def test_each_claim_that_cannot_be_judged_says_why() -> None:
    claims = (
        {"path": "train.py", "line": 400, "kind": "wait"},
        {"path": "train.py", "line": 2, "kind": "wait"},
        {"path": "gone.py", "line": 1, "kind": "wait"},
        claim("total =", "nonsense"),
        {"path": "train.py", "kind": "wait"},
    )
    answers = answers_to(*claims)
    assert {answer.state for answer in answers} == {State.INVALID}
    assert [answer.reason for answer in answers] == [
        f"the file has {len(TRAIN.splitlines())} lines",
        "no statement stands on this line",
        "there is no such file",
        "'nonsense' is no kind of claim; `trainlint judge --help` lists them",
        'line 5 of the claims has no "line", a number from 1 on',
    ]


@pytest.mark.usefixtures("project")
def test_each_file_is_analysed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []

    def counted(*given: object, **named: object) -> object:
        asked.append(given)
        return explain(*given, **named)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr("trainlint_probe.judging.code_facts.explain", counted)
    answers_to(*(claim("total =") for _ in range(100)))
    assert len(asked) == 1


def test_sarif_is_read() -> None:
    place = {"artifactLocation": {"uri": "a%20b.py"}, "region": {"startLine": 3}}
    result = {"ruleId": "TRN201", "message": {"text": "slow"}, "locations": [{"physicalLocation": place}]}
    (read,) = read_claims(json.dumps({"version": "2.1.0", "runs": [{"results": [result]}]}))
    assert read == ("a b.py", 3, "TRN201", "slow", "")


def test_a_line_that_is_not_json_hides_no_other() -> None:
    broken, read = read_claims('{"path":\n{"path": "a.py", "line": 1, "kind": "wait"}')
    assert broken.fault.startswith("line 1 of the claims is not JSON")
    assert read.path == "a.py"


@pytest.mark.usefixtures("project")
def test_text_has_one_line_and_json_one_object_for_each_claim() -> None:
    answers = answers_to(claim("total ="), {"path": "gone.py", "line": 1, "kind": "wait"})
    lines = as_text(answers, "", unicode=False).splitlines()
    assert lines[0].startswith(f"likely: train.py:{line_of('total =')} wait: TRN201")
    assert lines[1:] == ["invalid: gone.py:1 wait: there is no such file", "2 claims: 1 likely, 1 invalid."]
    document = json.loads(as_json(answers, "", None))
    assert [item["state"] for item in document["answers"]] == ["likely", "invalid"]


@pytest.mark.usefixtures("project")
def test_json_keeps_to_its_schema() -> None:
    run = run_of(wait("total =", 40, 20))
    assert run.simulated is not None
    priced = replace(run.simulated, prices=(Price(Line("train.py", line_of("total =")), Interval(0.01, 0.02)),))
    run = replace(run, simulated=priced)
    answers = answers_to(claim("total ="), {"path": "gone.py", "line": 1, "kind": "wait"}, run=run)
    written = json.loads(as_json(answers, "", run))
    Draft202012Validator(SCHEMA).validate(written)
    assert written["answers"][0]["gain_ms"] == {"low": 0.01, "high": 0.02}
    assert written["run"]["steps"] == 20
    Draft202012Validator(SCHEMA).validate(json.loads(as_json(answers, "", None)))


class TestEvidence:
    """Claims, judged by what `trainlint probe` has written."""

    @pytest.fixture
    def evidence(self, project: Path) -> Path:
        (project / "claims.jsonl").write_text(json.dumps(claim("total =")))
        judged = Judged(digests={"train.py": hashlib.sha256((project / "train.py").read_bytes()).hexdigest()})
        path = project / "run.json"
        path.write_text(document(Result((run_of(wait("total =", 40, 20)),), (), judged=judged)))
        return path

    def judge(self, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
        code = main(["judge", "claims.jsonl", "--evidence", "run.json"])
        said = capsys.readouterr()
        return code, said.out + said.err

    @pytest.mark.usefixtures("evidence")
    def test_what_it_counted_confirms(self, capsys: pytest.CaptureFixture[str]) -> None:
        code, said = self.judge(capsys)
        assert code == 1
        assert said.startswith(f"confirmed: train.py:{line_of('total =')} wait: 2 waits a step, in each of 20 steps")

    @pytest.mark.usefixtures("evidence")
    def test_of_a_file_that_has_changed_since_the_code_alone_tells(
        self, project: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (project / "train.py").write_text(f"{TRAIN}\n")
        code, said = self.judge(capsys)
        assert code == 0
        assert said.startswith("likely: ")
        assert "it has changed since the evidence was written" in said

    def test_a_run_on_another_device_is_refused(self, evidence: Path, capsys: pytest.CaptureFixture[str]) -> None:
        evidence.write_text(document(Result((replace(run_of(), simulated=None),), ())))
        code, said = self.judge(capsys)
        assert code == 2
        assert "run.json is not of a run on a simulated GPU: add --device simulated to the probe" in said


@pytest.mark.parametrize(("line", "code"), [(line_of("total ="), 0), (400, 2)])
def test_exit_codes_without_a_run(project: Path, line: int, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "claims.jsonl").write_text(json.dumps({"path": "train.py", "line": line, "kind": "wait"}))
    assert main(["judge", "claims.jsonl"]) == code


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("", (), "claims.jsonl is empty; write a line"),
        (
            "{}",
            ("--run", "bash train.sh"),
            "--run: there is no script bash; write a Python script and what it is given",
        ),
        ("{}", ("--run", " "), "--run names no script; write a Python script and what it is given"),
        (
            "{}",
            ("--run", "train.py", "--steps", "0"),
            "argument --steps: expected a whole number from 1 on",
        ),
        (
            "{}",
            ("--run", "train.py", "--timeout", "x"),
            "trainlint judge: argument --timeout: expected a number of sec",
        ),
        ("{}", ("--run", "train.py", "--device", "cuda"), "claims are judged on a simulated GPU, and not on cuda"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, options: tuple[str, ...], said: str
) -> None:
    (project / "claims.jsonl").write_text(text)
    try:
        code = main(["judge", "claims.jsonl", *options])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 2
    assert said in capsys.readouterr().err


def test_a_file_that_is_no_python_is_told_without_advice_for_checks(project: Path) -> None:
    (project / "broken.py").write_text("def f(:\n")
    answers = answers_to({"path": "broken.py", "line": 1, "kind": "wait"}, {"path": ".", "line": 1, "kind": "wait"})
    assert [answer.reason.partition(" (")[0] for answer in answers] == [
        f"line 1: syntax error in Python {sys.version_info.major}.{sys.version_info.minor}",
        "it is no ordinary file",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "code", "said"),
    [
        ("raise ValueError('no data')", 2, "The run took no step (ValueError: no data"),
        (
            "import torch\nm = torch.nn.Linear(2, 2).cuda()\no = torch.optim.SGD(m.parameters(), 0.1)\n"
            "for _ in range(30):\n    m(torch.ones(2, 2)\n      .cuda()).sum().backward()\n    o.step()\n",
            1,
            "confirmed: train.py:6 copy: 1 blocking copy to the GPU a step, in each of 20 steps",
        ),
    ],
)
def test_a_script_is_run(project: Path, script: str, code: int, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(script)
    line = len(script.splitlines()) - 1 or 1
    (project / "claims.jsonl").write_text(json.dumps({"path": "train.py", "line": line, "kind": "copy"}))
    assert main(["judge", "claims.jsonl", "--run", "train.py"]) == code
    assert said in capfd.readouterr().out


@pytest.mark.usefixtures("project")
def test_what_a_line_calls_on_two_ways_counts_on_both() -> None:
    seldom = wait("float(", 2, 2, "count =")
    often = wait("return loss.item()", 20, 20, "float(", "count =")
    (answer,) = answers_to(claim("count ="), run=run_of(seldom, often))
    assert (answer.state, answer.per_step) == (State.CONFIRMED, 1.1)


@pytest.mark.slow
def test_a_script_with_two_optimizers_is_counted(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(
        "import torch\nm = torch.nn.Linear(2, 2).cuda()\n"
        "both = [torch.optim.SGD(m.parameters(), 0.1) for _ in range(2)]\n"
        "for _ in range(40):\n    loss = m(torch.ones(2, 2, device='cuda')).sum()\n    loss.backward()\n"
        "    both[0].step()\n    both[1].step()\n    loss.item()\n"
    )
    (project / "claims.jsonl").write_text(json.dumps({"path": "train.py", "line": 9, "kind": "wait"}))
    assert main(["judge", "claims.jsonl", "--run", "train.py"]) == 1
    assert "confirmed: train.py:9 wait: 1 wait a step" in capfd.readouterr().out


def test_each_line_of_a_header_belongs_to_it() -> None:
    spans = spans_of(ast.parse("def f(\n    a,\n    b=1,\n):\n    pass\n"))
    assert [(spans[line].first, spans[line].last) for line in (1, 2, 3)] == [(1, 3)] * 3
