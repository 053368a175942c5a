"""Scripts that would rather not be stopped: nothing is left behind, nothing is lost, and their own ends are theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

import trainlint_probe
from tests.probe.run.running import Runner, line_of, only
from trainlint.evidence.run import Phase
from trainlint_probe.child import faulty_watcher


@pytest.mark.parametrize(
    "script",
    [
        "bare_except",
        "finally_save",
        "emergency_save",
        "atexit_save",
        "trains_in_a_thread",
    ],
)
def test_a_training_is_stopped_without_a_trace(runner: Runner, script: str) -> None:
    launched = runner.run(f"hostile/{script}")
    run = only(launched)
    assert (run.outcome, launched.exit_code, run.exit_code) == ("window closed", 0, None)
    assert len(run.steps) == 8
    assert run.clock.endswith(f"toy.py:{line_of('toy', 'optimizer.step()')}")
    assert runner.files() == []
    assert not launched.changed.new


def test_a_training_in_another_process_is_watched_there(runner: Runner) -> None:
    launched = runner.run("hostile/trains_in_a_process")
    run = only(launched)
    assert (run.outcome, launched.exit_code) == ("window closed", 0)
    assert run.command[-1].endswith("trains_in_a_process.py")
    assert runner.files() == []


@pytest.mark.parametrize(
    ("script", "outcome", "code", "steps"),
    [
        ("never_steps", "no step", 0, 0),
        ("too_short", "too short", 0, 3),
        ("exits_with_3", "script failed", 3, 2),
        ("crashes", "script failed", 1, 2),
    ],
)
def test_a_script_that_ends_by_itself_keeps_its_code(
    runner: Runner, script: str, outcome: str, code: int, steps: int
) -> None:
    launched = runner.run(f"hostile/{script}")
    run = only(launched)
    assert (run.outcome, run.exit_code, launched.exit_code, len(run.steps)) == (outcome, code, code, steps)
    assert runner.files() == []


def test_a_failure_is_shown_as_the_scripts_own(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    runner.run("hostile/crashes")
    shown = capfd.readouterr().err
    assert f'crashes.py", line {line_of("hostile/crashes", ".item()")}, in <module>' in shown
    assert "RuntimeError: a Tensor with 2 elements cannot be converted to Scalar" in shown
    assert "trainlint" not in shown


@pytest.mark.parametrize(("file", "blamed"), [(trainlint_probe.__file__, True), (__file__, False)])
def test_a_fault_of_the_probe_is_not_the_scripts(file: str, blamed: bool) -> None:
    with pytest.raises(NameError) as fault:
        exec(compile("\n\nnowhere", str(Path(file).parent / "watch.py"), "exec"))
    assert faulty_watcher(fault.value) == ("watch.py, line 3" if blamed else "")


def test_a_script_that_waits_for_ever_is_ended(runner: Runner) -> None:
    launched = runner.run("hostile/never_ends", timeout=3)
    run = only(launched)
    assert (run.outcome, launched.exit_code, len(run.steps)) == ("timed out", 124, 3)
    assert any("had not closed 3 s after the first step" in note for note in run.notes)


def test_a_script_that_never_begins_is_ended(runner: Runner) -> None:
    launched = runner.run("hostile/never_ends", start_timeout=0.01)
    assert only(launched).outcome == "timed out"
    assert launched.exit_code == 124


def test_batches_stand_in_where_no_optimizer_steps(runner: Runner) -> None:
    run = only(runner.run("hostile/manual_sgd", fallback_after=20))
    assert (run.outcome, len(run.steps)) == ("window closed", 8)
    assert run.clock.startswith("DataLoader.__next__ at ")
    assert run.optimizers == ()


@pytest.mark.nightly
def test_of_several_optimizers_the_regular_one_is_the_clock(runner: Runner) -> None:
    run = only(runner.run("hostile/two_optimizers", warmup_limit=40))
    assert run.clock.startswith("Adam.step at ")
    assert {optimizer.name: optimizer.steps for optimizer in run.optimizers} == {"Adam": 8, "RMSprop": 24}
    assert {step.micro_batches for step in run.steps} == {4}
    assert any("RMSprop.step" in note and "stepped too" in note for note in run.notes)


def test_accumulated_backwards_are_one_step(runner: Runner) -> None:
    run = only(runner.run("hostile/accumulation"))
    assert {step.micro_batches for step in run.steps} == {4}
    assert all(step.phases[Phase.BACKWARD] > 0 for step in run.steps)
