"""What trainings of other people do, and that the probe once misread."""

from __future__ import annotations

import pytest

from tests.probe.run.running import SCRIPTS, Runner, line_of, only, seen_at
from trainlint.evidence.places import Line
from trainlint.evidence.run import Environment, Run, Seen, Step
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Finding, Severity, Span
from trainlint.symptoms import Symptom
from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.judgement.judged_run import judge_run
from trainlint_probe.judgement.verdicts import verdict
from trainlint_probe.launch import Request, launch
from trainlint_probe.report.words import defects


@pytest.mark.nightly
def test_the_processes_that_train_are_meant_not_the_one_that_evaluates(runner: Runner) -> None:
    run = only(runner.run("lock_free"))
    assert (run.outcome, len(run.steps)) == ("window closed", 8)
    assert run.clock.endswith(f"lock_free.py:{line_of('lock_free', 'optimizer.step()')}")


class TestWorkersThatAreStartedAgain:
    def judged(self, runner: Runner, *arguments: str) -> tuple[Run, State]:
        run = only(runner.run("epochs", *arguments))
        (loader,) = run.loaders
        assert loader.made_at is not None
        at = Span(loader.made_at.line, 1, loader.made_at.line, 1)
        finding = Finding("TRN103", "loader-restarts-workers", loader.made_at.path, at, "", Severity.WARNING)
        return run, verdict(finding, {Symptom.WORKERS_STARTED}, run).state

    def test_their_start_is_spread_over_an_epoch(self, runner: Runner) -> None:
        run, _ = self.judged(runner, "1")
        (started,) = seen_at(run, line_of("epochs", "loader = "), Symptom.WORKERS_STARTED)
        assert started.steps == 10  # an epoch has as many batches
        assert started.recoverable is not None
        assert 0 < started.recoverable.low <= started.recoverable.high
        # A process starts in milliseconds at least, of which each of ten steps bears its part.
        assert started.recoverable.high > 0.1

    @pytest.mark.parametrize("arguments", [("0",), ("1", "keep")])
    def test_where_none_is_started_the_finding_is_refuted(self, runner: Runner, arguments: tuple[str, ...]) -> None:
        run, state = self.judged(runner, *arguments)
        assert state is State.REFUTED
        assert not any(item.symptom is Symptom.WORKERS_STARTED for item in run.seen)


def test_gradients_that_are_asked_for_are_backward(runner: Runner) -> None:
    run = only(runner.run("gradient_penalty"))
    (asked,) = seen_at(run, line_of("gradient_penalty", "autograd.grad("), Symptom.BACKWARD)
    assert asked.what == "torch.autograd.grad"
    assert all(step.micro_batches == 1 for step in run.steps)


@pytest.mark.nightly
def test_without_an_optimizer_and_a_loader_backwards_are_counted(runner: Runner) -> None:
    run = only(runner.run("by_hand", fallback_after=20))
    assert run.outcome == "window closed"
    assert run.clock.startswith("backward at ")
    assert run.clock.endswith(f"by_hand.py:{line_of('by_hand', 'loss.backward()')}")
    assert any(note.startswith("No optimizer of torch has stepped") for note in run.notes)


@pytest.mark.nightly
def test_steps_that_never_settle_are_measured_where_the_script_ends(runner: Runner) -> None:
    launched = runner.run("rollouts", "16", warmup_limit=40)
    run = only(launched)
    assert (run.outcome, run.warmup, len(run.steps)) == ("window closed", 3, 12)
    assert "The script ended before its steps had settled; all 12 after the first 3 are measured." in run.notes


def test_fewer_steps_than_were_asked_for_are_too_few(runner: Runner) -> None:
    assert only(runner.run("rollouts", "11", warmup_limit=40)).outcome == "too short"


class TestFunctionsThatAreCompiledAgain:
    def judged(self, times: int, *, in_the_window: int, limit: str = "") -> list[str]:
        """As an optimizer whose parameters are of two ranks: each is compiled for, in the first step."""
        line, late = Line("optim.py", 23), str(in_the_window)
        details = {"reason": "rank mismatch", "in the window": late, **({"limit": limit} if limit else {})}
        again = Seen(line, Symptom.RECOMPILE, "torch.compile", times, details=details)
        seen = Run((), Environment({}), "window closed", steps=(Step(10.0, {}),), seen=(again,))
        return [item.sentence for item in judge_run(seen)]

    def test_before_the_window_they_cost_no_step_anything(self) -> None:
        assert self.judged(3, in_the_window=0) == []

    def test_in_the_window_they_do(self) -> None:
        (sentence,) = self.judged(3, in_the_window=1)
        assert sentence == "torch.compile has compiled this again 3 times, once in the steps: rank mismatch."

    def test_at_the_limit_what_comes_after_is_not_compiled(self) -> None:
        (sentence,) = self.judged(8, in_the_window=0, limit="8")
        assert "after which torch.compile gave up (its limit is 8) and the function runs uncompiled" in sentence

    def test_eight_times_are_no_limit_where_the_script_has_raised_it(self) -> None:
        assert self.judged(8, in_the_window=0) == []


def test_two_findings_of_one_line_are_told_once() -> None:
    """As `inputs.to(device), targets.to(device)` in one line: they are counted together."""
    one = Verdict(
        "TRN205", "blocking-batch-copy", Line("main.py", 39), State.UNMEASURED, "Tensor.to ran 2 times a step"
    )
    other = Verdict("TRN205", "blocking-batch-copy", Line("main.py", 40), State.UNMEASURED, "ran once a step")
    assert [item.said for item in defects([one, one, other])] == [one, other]


def test_a_warning_of_the_loader_names_no_line_of_ours(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    """Filters by module, and readers, would look for it elsewhere."""
    script = runner.project / "pinned.py"
    script.write_text((SCRIPTS / "epochs.py").read_text().replace("batch_size=8,", "batch_size=8, pin_memory=True,"))
    run = only(
        launch(Request(str(script), ("0",), child_settings=ChildSettings(output="", warmup=3, steps=5)), runner.output)
    )
    assert run.loaders[0].settings["pin_memory"] == "True"
    (warned,) = [line for line in capfd.readouterr().err.splitlines() if "'pin_memory' argument is set" in line]
    assert "dataloader.py" in warned
    assert "trainlint_probe" not in warned
