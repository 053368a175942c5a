"""Where the time of each phase goes: the lines of the user's code, found by looking at them now and then."""

from __future__ import annotations

from statistics import fmean

from tests.probe.run.running import Runner, line_of, only
from trainlint.evidence import Phase, Run


def slowest(run: Run) -> dict[Phase, tuple[int, str]]:
    """The line that most of each phase was spent at, and its function."""
    found: dict[Phase, tuple[int, str]] = {}
    for item in run.lines:
        found.setdefault(item.phase, (item.at.line, item.function))
    return found


def mean(run: Run, phase: Phase) -> float:
    return fmean(step.phases.get(phase, 0.0) for step in run.steps)


def test_each_phase_names_its_slow_line(runner: Runner) -> None:
    run = only(runner.run("phases_of_lines"))
    found = slowest(run)
    assert found[Phase.DATA_WAIT] == (line_of("phases_of_lines", "# of an item"), "__getitem__")
    assert found[Phase.FORWARD] == (line_of("phases_of_lines", "# of forward"), "forward")
    assert found[Phase.OTHER] == (line_of("phases_of_lines", "# of a helper"), "log")
    assert run.looks > 0


def test_what_a_closure_does_is_not_the_optimizer_s(runner: Runner) -> None:
    run = only(runner.run("in_a_closure"))
    assert run.clock.startswith("SGD.step")
    assert mean(run, Phase.OTHER) >= 20  # it sleeps that long in each step
    assert slowest(run)[Phase.OTHER] == (line_of("in_a_closure", "# logs"), "closure")
    assert mean(run, Phase.OPTIMIZER) < mean(run, Phase.OTHER)


def test_a_call_that_keeps_python_s_lock_counts_for_as_long_as_it_takes(runner: Runner) -> None:
    """No look is possible meanwhile: by their number, the sleep after it would seem to take most of the time."""
    found = slowest(only(runner.run("holds_the_lock", warmup_limit=4)))
    assert found[Phase.OTHER] == (line_of("holds_the_lock", "# in one call"), "<module>")
