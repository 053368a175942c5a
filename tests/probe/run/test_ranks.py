"""Ranks laid side by side: the typical one, and the one that the others wait for."""

from __future__ import annotations

import pytest

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Environment, Phase, Run, Seen, Step
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.judged_run import judge_together
from trainlint_probe.judgement.ranks import compare_ranks


def rank(number: int, *, data: float, backward: float, collective: float = 0.0, ranks: int = 3) -> Run:
    phases = {Phase.DATA_WAIT: data, Phase.BACKWARD: backward, Phase.OTHER: 1.0 + collective}
    step = Step(sum(phases.values()), phases)
    seen = Seen(Line("a.py", 1), Symptom.COLLECTIVE, "torch.distributed.all_reduce", 4, host_ms=4 * collective)
    return Run(
        ("a.py",), Environment({}), "window closed", steps=(step,) * 4, seen=(seen,), rank=number, world_size=ranks
    )


def test_the_rank_that_waits_least_and_works_most_is_named() -> None:
    seen = compare_ranks([rank(0, data=1, backward=9), rank(1, data=8, backward=2), rank(2, data=2, backward=8)])
    assert seen.straggler is not None
    assert (seen.straggler.rank, seen.straggler.late_ms) == (1, 6.5)
    assert seen.straggler.sentence.startswith("Rank 1 ")
    assert f"mostly in {Phase.DATA_WAIT.value}," in seen.straggler.sentence


def test_a_rank_that_holds_the_others_up_for_most_of_a_step_is_confirmed() -> None:
    """40 ms late of 48: without it, the step is shorter by what it works longer than the next slowest."""
    (found,) = judge_together(
        compare_ranks([rank(0, data=1, backward=46, ranks=2), rank(1, data=41, backward=6, ranks=2)])
    )
    assert (found.name, found.cost) == ("straggling-rank", Interval(40.0, 40.0))


def test_where_the_next_rank_is_nearly_as_slow_little_is_sure() -> None:
    ranks = [rank(0, data=1, backward=40), rank(1, data=30, backward=11), rank(2, data=36, backward=5)]
    (found,) = judge_together(compare_ranks(ranks))
    assert found.cost == Interval(6.0, 20.5)


def test_a_rank_may_wait_in_a_collective_of_its_own() -> None:
    seen = compare_ranks([rank(0, data=1, backward=2, collective=7), rank(1, data=8, backward=2, collective=0)])
    assert seen.straggler is not None
    assert seen.straggler.rank == 1
    assert seen.missing == (2,)


@pytest.mark.parametrize("data", [1.0, 1.5])
def test_small_differences_name_nobody(data: float) -> None:
    assert (
        compare_ranks([rank(0, data=1, backward=9, ranks=2), rank(1, data=data, backward=8.5, ranks=2)]).straggler
        is None
    )


def test_the_typical_rank_is_one_that_was_seen() -> None:
    runs = [rank(0, data=1, backward=1), rank(1, data=5, backward=1), rank(2, data=9, backward=1)]
    assert compare_ranks(runs).typical is runs[1]


def test_without_evidence_there_is_nothing_to_say() -> None:
    with pytest.raises(ValueError, match="no evidence"):
        compare_ranks([])
