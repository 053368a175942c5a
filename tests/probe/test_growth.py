"""What is said where too little was seen to tell whether memory grows."""

from __future__ import annotations

from trainlint.evidence.run import Environment, Memory, Run, Step
from trainlint_probe.judgement.growth import about_few_steps


def run(steps: int, counted: int) -> Run:
    marks = [Memory(1000) if number < counted else None for number in range(steps)]
    return Run((), Environment({}), "window closed", steps=tuple(Step(1.0, {}, memory=mark) for mark in marks))


def test_few_steps_are_told() -> None:
    assert about_few_steps(run(6, 6)) == "6 steps are too few to tell whether memory grows: it takes 10."


def test_memory_that_was_counted_seldom_is_told() -> None:
    assert about_few_steps(run(30, 4)) == "Memory was counted at 4 steps: too few to tell whether it grows."


def test_enough_steps_and_no_memory_at_all_say_nothing() -> None:
    assert about_few_steps(run(30, 30)) == about_few_steps(run(30, 0)) == about_few_steps(run(0, 0)) == ""
