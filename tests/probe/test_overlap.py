"""What loader workers could gain: never more than the wait, and less where no core is free or batches are large."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Cores, Environment, Loader, Phase, Run, Step
from trainlint_probe.judgement.judged_run import judge_run
from trainlint_probe.judgement.overlap import overlap

FREE = Cores(available=8, own=1.0, others=0.5)
TAKEN = Cores(available=2, own=2.0, others=0.0)


def run(wait: float, rest: float, *, cpu: float, handover: float | None, cores: Cores | None = FREE) -> Run:
    """Twenty equal steps of a training without workers, each of which draws one batch."""
    loader = Loader(
        Line("train.py", 8),
        Line("train.py", 12),
        {"num_workers": "0"},
        batches=20,
        wait_ms=20 * wait,
        cpu_ms=20 * cpu,
        handover_ms=handover,
        batch_bytes=1_500_000,
    )
    steps = (Step(wait + rest, {Phase.DATA_WAIT: wait, Phase.OTHER: rest}),) * 20
    return Run(("train.py",), Environment({}), "window closed", steps=steps, loaders=(loader,), cores=cores)


def gain(of: Run) -> Interval:
    return overlap(of, of.loaders).gain


def test_a_wait_for_a_disk_is_hidden_but_for_the_handover() -> None:
    found = gain(run(40.0, 60.0, cpu=1.0, handover=2.0))
    assert (found.low, found.high) == pytest.approx((36.0, 39.0))


def test_what_two_workers_cannot_make_in_time_is_not_promised() -> None:
    """A batch takes 90 ms to make and the rest of a step 10: two workers need 47 ms a batch with the handover."""
    assert gain(run(90.0, 10.0, cpu=1.0, handover=2.0)).low == pytest.approx(100.0 - 94.0 / 2)


def test_where_no_core_is_free_workers_would_take_theirs_from_the_training() -> None:
    found = gain(run(40.0, 60.0, cpu=40.0, handover=1.0, cores=TAKEN))
    assert found.low == -4.0, "to send and to receive a batch, each at twice of what was tried"
    assert found.high < 5.0


def test_a_wait_for_a_disk_needs_no_core() -> None:
    assert gain(run(40.0, 60.0, cpu=1.0, handover=1.0, cores=TAKEN)).low > 30.0


def test_a_batch_that_costs_more_to_hand_over_than_to_make_makes_the_step_slower() -> None:
    found = gain(run(0.3, 1.5, cpu=0.3, handover=0.9))
    assert (found.low, found.high) == pytest.approx((-1.5, 0.0))


@pytest.mark.parametrize(("handover", "cores"), [(None, FREE), (1.0, None)])
def test_what_is_not_known_confirms_nothing(handover: float | None, cores: Cores | None) -> None:
    found = gain(run(40.0, 60.0, cpu=40.0, handover=handover, cores=cores))
    assert found.low <= 0.0
    assert 39.0 <= found.high <= 40.0


def test_a_loader_that_has_workers_may_or_may_not_gain() -> None:
    of = run(40.0, 60.0, cpu=1.0, handover=2.0)
    with_workers = replace(of, loaders=tuple(replace(item, settings={"num_workers": "4"}) for item in of.loaders))
    assert gain(with_workers) == Interval(0.0, 40.0)


def test_it_is_said_what_the_step_waits_and_what_workers_cost() -> None:
    of = run(0.3, 1.5, cpu=0.3, handover=0.9)
    assert overlap(of, of.loaders).sentence == (
        "the step waits 0.3 of 1.8 ms for this loader; workers can hide at most that and cost 900 µs to feed it "
        "(1.5 MB a batch); 6.5 of 8 cores were free for them"
    )


def test_starvation_is_confirmed_only_where_workers_surely_gain() -> None:
    sure, unsure = run(40.0, 60.0, cpu=1.0, handover=2.0), run(40.0, 60.0, cpu=40.0, handover=2.0, cores=TAKEN)
    (found,), (doubtful,) = judge_run(sure), judge_run(unsure)
    assert found.cost is not None
    assert doubtful.cost is not None
    assert (found.cost.low > 30.0, doubtful.cost.low < 0.0) == (True, True)
