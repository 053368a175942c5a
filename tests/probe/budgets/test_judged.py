"""What is counted, held against limits: plain data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.config.kinds import LIMITS
from trainlint.evidence.places import Line
from trainlint.evidence.run import Counted, Environment, Memory, Run, Seen, Step
from trainlint.evidence.simulation import Simulated
from trainlint.symptoms import Symptom
from trainlint_probe.budgets.judged import Spending, judge
from trainlint_probe.budgets.limits import UnusableBudget, typed
from trainlint_probe.budgets.of_run import spendings
from trainlint_probe.budgets.words import exceeded, lines_of

AT = Line("train.py", 3)


def judged(*counted: Counted, steps: int = 1, ignored: frozenset[Line] = frozenset(), **limits: float) -> Spending:
    named = {name.replace("_", "-"): value for name, value in limits.items()}
    return judge(counted, named, steps, not_counted={}, is_ignored=lambda at, limit: at in ignored)


@given(
    counts=st.lists(st.tuples(st.integers(1, 9), st.booleans(), st.booleans()), max_size=5),
    limit=st.integers(0, 9),
    steps=st.integers(1, 7),
)
def test_a_limit_is_exceeded_by_what_nobody_allows(
    counts: list[tuple[int, bool, bool]], limit: int, steps: int
) -> None:
    items = [
        Counted("syncs", Line("train.py", number), "Tensor.item", count, allowed="logged" if is_allowed else "")
        for number, (count, is_allowed, _) in enumerate(counts)
    ]
    ignored = frozenset(Line("train.py", number) for number, (*_, is_ignored) in enumerate(counts) if is_ignored)
    spending = judged(*items, steps=steps, ignored=ignored, syncs=limit)
    charged = sum(count for count, is_allowed, is_ignored in counts if not is_allowed and not is_ignored)
    assert bool(spending.over) == (charged > limit * steps)


def test_limits_that_are_kept_read_no_file() -> None:
    def fails(at: Line, limit: str) -> bool:
        raise AssertionError

    judge([Counted("syncs", AT, "Tensor.item", 1)], {"syncs": 1}, 1, not_counted={}, is_ignored=fails)


def test_a_tenth_of_a_step_is_no_more_than_a_tenth() -> None:
    assert not judged(Counted("syncs", AT, "Tensor.item", 3), steps=30, syncs=0.1).over


def test_all_that_is_beyond_is_said() -> None:
    counted = [Counted("syncs", Line("train.py", number), "Tensor.item", 1, via="lib.py:3") for number in range(12)]
    lines = exceeded(judged(*counted, syncs=3)).splitlines()
    assert lines[0] == "syncs: 12 a step (limit 3)"
    assert lines[1] == "  train.py:0: Tensor.item, by lib.py:3, 1"
    assert lines[-1] == "  and 2 more lines"


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("syncs", 'write a limit as NAME=NUMBER, such as syncs=0, not "syncs"'),
        ("sync=0", 'there is no limit "sync"; did you mean "syncs"?'),
        ("syncs=none", 'syncs must be a number from 0 on, not the text "none"'),
        ("syncs=nan", "syncs must be a number from 0 on, not nan"),
        ("data-wait-percent=101", "data-wait-percent must be a number from 0 to 100, not 101"),
    ],
)
def test_a_word_that_is_no_limit_is_a_sentence(word: str, sentence: str) -> None:
    with pytest.raises(UnusableBudget) as failed:
        typed([word])
    assert str(failed.value).startswith(sentence)


def test_typed_limits_stand_in_the_table_s_order() -> None:
    assert typed(["recompiles=0", "syncs=0.5"]) == {"syncs": 0.5, "recompiles": 0.0}


class TestRuns:
    STEPS = (Step(1.0, {}), Step(1.0, {}))

    def run(self, **fields: Any) -> Run:
        empty = Run(("python", "train.py"), Environment({}), "window closed", steps=self.STEPS)
        return replace(empty, **fields)

    def spent(self, run: Run, **limits: float) -> dict[str, float]:
        named = {name.replace("_", "-"): value for name, value in limits.items()}
        (spending,) = spendings([run], named)
        return {use.limit: use.used for use in spending.uses if not use.not_counted}

    def test_counts_are_those_of_a_step(self) -> None:
        run = self.run(device="cuda", counted=(Counted("syncs", AT, "Tensor.item", 4),))
        assert self.spent(run, syncs=0) == {"syncs": 2}

    def test_graph_breaks_count_since_the_start_and_recompiles_in_the_window(self) -> None:
        def seen(symptom: Symptom, late: str) -> Seen:
            return Seen(AT, symptom, "torch.compile", 3, details={"reason": "why", "in the window": late})

        run = self.run(seen=(seen(Symptom.GRAPH_BREAK, ""), seen(Symptom.RECOMPILE, "2"), seen(Symptom.RECOMPILE, "0")))
        assert self.spent(run, graph_breaks=0, recompiles=0) == {"graph-breaks": 1, "recompiles": 1}

    def test_a_cpu_has_no_waits_and_is_not_taken_for_one_that_keeps_limits(self) -> None:
        (spending,) = spendings([self.run(device="cpu")], dict.fromkeys(LIMITS, 0.0))
        assert not spending.over
        assert not spending.is_judged
        said = " ".join(lines_of(spending))
        assert "syncs and pageable-copies: not counted, as only a CUDA device tells its waits" in said
        assert "allocations: not counted, as no GPU is in use." in said

    def test_a_simulated_gpu_that_a_script_leaves_alone_holds_no_limit(self) -> None:
        unused = Simulated("NVIDIA H100", 1, events=(), step_ms=None, prices=(), launches=0.0, peak=(0,), executed={})
        (spending,) = spendings([self.run(simulated=unused)], {"syncs": 0.0})
        assert not spending.is_judged
        (spending,) = spendings([self.run(simulated=replace(unused, launches=2.0))], {"syncs": 0.0})
        assert spending.is_judged

    def test_allocations_are_those_between_the_first_step_and_the_last(self) -> None:
        steps = tuple(Step(1.0, {}, memory=Memory(1, device_allocations=number)) for number in (10, 11, 16))
        assert self.spent(self.run(device="cuda", steps=steps), allocations=0) == {"allocations": 2}
        assert self.spent(self.run(device="cuda"), allocations=0) == {}

    def test_each_rank_has_its_own_spending(self) -> None:
        counted = (Counted("syncs", AT, "Tensor.item", 4),)
        found = spendings([self.run(device="cuda"), self.run(rank=1, device="cuda", counted=counted)], {"syncs": 0.0})
        assert [(spending.rank, bool(spending.over)) for spending in found] == [(0, False), (1, True)]
