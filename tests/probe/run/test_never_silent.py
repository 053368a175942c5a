"""Large costs are told whatever rule knows them: measured calls, and settings for the whole run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.probe.run.running import SCRIPTS, Runner, line_of, only, seen_at
from trainlint.cli import main
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Environment, Run, Seen, Step
from trainlint.evidence.verdicts import State
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.judged_run import judge_run
from trainlint_probe.judgement.runtime_rules import as_verdicts


def confirmed(runner: Runner, script: str) -> dict[int, set[str]]:
    """The codes that `trainlint probe` confirms, by their lines."""
    copy = runner.project / "train.py"
    copy.write_text((SCRIPTS / f"{script}.py").read_text())
    evidence = runner.output / "evidence.json"
    options = ["--warmup", "3", "--steps", "6", "--no-overlay", "--no-deep", "--output-format", "json", "-o"]
    assert main(["probe", "--device", "cpu", *options, str(evidence), "train.py"]) == 1
    found: dict[int, set[str]] = {}
    for item in json.loads(evidence.read_text())["verdicts"]:
        if item["state"] == "confirmed":
            found.setdefault(item["at"]["line"], set()).add(item["code"])
    return found


def test_preview_rules_count_where_the_run_measured_them(runner: Runner) -> None:
    found = confirmed(runner, "silent_costs")
    assert "TRN302" in found[line_of("silent_costs", "# collected")]


def test_a_preview_rule_that_the_user_ignores_stays_silent(runner: Runner) -> None:
    (runner.project / "trainlint.toml").write_text('ignore = ["TRN302"]\n')
    found = confirmed(runner, "silent_costs")
    assert found[line_of("silent_costs", "# anomalies")] == {"TRNP405"}
    assert "TRN302" not in found.get(line_of("silent_costs", "# collected"), set())


def test_a_costly_call_has_a_line_and_its_time(runner: Runner) -> None:
    run = only(runner.run("silent_costs"))
    (found,) = [item for item in judge_run(run) if item.name == "costly-call"]
    assert found.source is not None
    assert found.source.line == line_of("silent_costs", "# collected")
    assert found.cost is not None
    assert 0 < found.cost.low <= found.cost.high  # nobody needs it


def test_a_copy_that_may_be_needed_is_gained_at_most() -> None:
    copied = Seen(Line("train.py", 9), Symptom.DEEP_COPY, "copy.deepcopy", calls=10, host_ms=50.0)
    steps = (Step(20.0, {}),) * 10
    (found,) = judge_run(Run((), Environment({}), "window closed", steps=steps, seen=(copied,)))
    assert (found.name, found.cost, found.share) == ("costly-call", Interval(0.0, 8.625), Interval(0.0, 0.43125))


def of_switches(run: Run) -> dict[str, tuple[int, int]]:
    """What was on: the line that turned it on, and how often it was."""
    return {item.what: (item.at.line, item.calls) for item in run.seen if item.symptom is Symptom.SLOW_SWITCH}


def test_switches_are_told_with_the_line_that_turned_them_on(runner: Runner) -> None:
    run = only(runner.run("switched"))
    assert of_switches(run) == {
        "anomaly detection": (line_of("switched", "# anomalies"), 8),
        "PyTorch's profiler": (line_of("switched", "# profiled"), 8),
    }


def test_a_switch_that_is_on_is_confirmed_whatever_it_costs() -> None:
    seen = Seen(Line("train.py", 9), Symptom.SLOW_SWITCH, "anomaly detection", calls=10)
    steps = (Step(20.0, {}),) * 10
    (found,) = judge_run(Run((), Environment({}), "window closed", steps=steps, seen=(seen,)))
    (told,) = as_verdicts([found], where="train.py", basis="timer")
    assert (told.state, told.cost) == (State.CONFIRMED, None)


def test_a_training_without_switches_has_none(runner: Runner) -> None:
    run = only(runner.run("plain", steps=8))
    assert of_switches(run) == {}
    assert not [item for item in judge_run(run) if item.name == "run-wide-switch"]


def test_a_function_that_torch_compile_gave_up_is_told_with_the_limit_of_this_run(runner: Runner) -> None:
    run = only(runner.run("limit"))
    again = seen_at(run, line_of("limit", "# compiled"), Symptom.RECOMPILE)
    assert {item.details["limit"] for item in again} == {"3"}
    (found,) = [item for item in judge_run(run) if item.name == "recompiles-in-steps"]
    assert "gave up (its limit is 3) and the function runs uncompiled" in found.sentence


def test_time_without_a_core_is_counted_where_the_system_does(runner: Runner) -> None:
    counted = Path("/proc/thread-self/schedstat").exists()
    cores = only(runner.run("plain", steps=8)).cores
    assert cores is not None
    share = cores.waited
    if not counted:
        pytest.skip("this system does not count it")
    assert share is not None
    assert 0 <= share <= 1
