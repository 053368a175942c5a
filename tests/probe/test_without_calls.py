"""What calls cost that a training can do without, by steps with them and without."""

from __future__ import annotations

import time

import pytest

from trainlint.evidence import Environment, Interval, Line, Run, Seen, Step
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.judged_run import judge_run
from trainlint_probe.watch.afterwards.without_calls import WithoutCalls, worth_leaving_out
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.watching import Watch


def site(name: str, line: int = 9) -> Site:
    return Site("/home/me/train.py", line, "", Kind(name, Symptom.GARBAGE_COLLECTION), "")


def seen(line: int, ms: float, gain: Interval | None = None) -> Seen:
    kind = Symptom.GARBAGE_COLLECTION
    return Seen(Line("train.py", line), kind, "gc.collect", calls=10, host_ms=ms, recoverable=gain)


def test_calls_of_each_step_that_take_more_than_a_trifle_are_left_out() -> None:
    each, seldom, cheap, needed = site("gc.collect"), site("torch.save"), site("torch.save"), site("copy.deepcopy")
    last = {each: (12, 9_000_000), seldom: (3, 9_000_000), cheap: (0, 0), needed: (12, 9_000_000)}
    assert worth_leaving_out({each: (2, 0)}, last, steps=10, step_ms=20.0) == ("gc.collect",)
    assert worth_leaving_out({}, {each: (10, 1_000_000)}, steps=10, step_ms=20.0) == ()


def test_steps_without_a_call_tell_what_it_costs_and_each_line_has_its_part() -> None:
    watch = Watch("", "")
    calls = WithoutCalls(watch, 2.0, ["gc.collect"])
    states = []
    for _ in calls.steps():  # a step: a millisecond of work, and three of a call, unless it is left out
        states.append(watch.left_out)
        time.sleep(0.001 if watch.left_out else 0.004)
    assert {"", "gc.collect"} == set(states)
    assert watch.left_out == ""  # it runs again
    whole = calls.gains["gc.collect"]
    first, second, other = calls.with_gains((seen(9, 30.0), seen(12, 10.0), Seen(Line("a.py", 1), Symptom.RAN, "x", 1)))
    assert first.recoverable is not None
    assert second.recoverable is not None
    assert first.recoverable.low == pytest.approx(3 * second.recoverable.low)
    assert first.recoverable.low + second.recoverable.low == pytest.approx(whole.low)
    assert other.recoverable is None


def test_what_steps_without_a_call_told_is_what_can_be_gained() -> None:
    """The clock around it saw 5 ms a step; the steps without it were 7 to 8 ms shorter."""
    run = Run((), Environment({}), "window closed", steps=(Step(20.0, {}),) * 10, seen=(seen(9, 50.0, Interval(7, 8)),))
    (found,) = judge_run(run)
    assert found.cost is not None
    assert (found.cost.low, found.cost.high) == pytest.approx((7 * 0.85, 8 * 1.15))  # two runs differ
    assert found.sentence.endswith("steps without it took 7 to 8 ms less.")
