"""What the runs of several ranks tell only together.

pytest tests/probe/test_across_ranks.py
"""

from __future__ import annotations

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Environment, Run, Seen, Step
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.across_ranks import with_others


def rank(number: int, *seen: Seen) -> Run:
    steps = (Step(100.0, {}),) * 10
    return Run((), Environment({}), "window closed", steps=steps, seen=seen, rank=number, world_size=2)


def reduced(ms: float, *, device: str = "cpu", fastest: float | None = None) -> Seen:
    return Seen(Line("train.py", 9), Symptom.COLLECTIVE, "all_reduce", 10, ms, fastest_ms=fastest, device=device)


def test_only_what_the_fastest_call_of_any_rank_takes_is_surely_gained() -> None:
    """The last rank spends 3 ms a step there, but one of its calls took 0.2: the rest is a wait for a core."""
    early, late = rank(0, reduced(200.0, fastest=0.5)), rank(1, reduced(30.0, fastest=0.2))
    (item,) = with_others(early, [early, late]).seen
    assert item.recoverable == Interval(0.2, 20.0)


def test_where_single_calls_were_not_timed_nothing_is_surely_gained() -> None:
    early, late = rank(0, reduced(200.0, fastest=0.5)), rank(1, reduced(30.0))
    (item,) = with_others(early, [early, late]).seen
    assert item.recoverable == Interval(0.0, 20.0)


def test_a_collective_that_one_rank_does_not_reach_says_nothing() -> None:
    one, other = rank(0, reduced(200.0)), rank(1)
    assert with_others(one, [one, other]) == one


def test_a_collective_of_the_device_returns_before_it_is_done() -> None:
    one, other = rank(0, reduced(0.2, device="cuda")), rank(1, reduced(0.2, device="cuda"))
    assert with_others(one, [one, other]) == one


def test_one_rank_has_no_others() -> None:
    alone = rank(0, reduced(200.0))
    assert with_others(alone, [alone]) == alone
