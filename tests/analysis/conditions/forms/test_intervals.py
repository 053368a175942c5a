"""Tests that hold at listed steps, in the first few, or where a name says that something is due."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    "test",
    ["step == 10", "step in args.save_steps", "step < 3", "should_log", "self.should_log(step)", "f(step, save_every)"],
)
def test_few_steps(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare) == (ConditionKind.INTERVAL, True)


@pytest.mark.parametrize("test", ["step > 10", "step not in (1, 2)", "step < args.warmup_steps", "f(step, size)"])
def test_many_steps(test: str) -> None:
    assert not condition(test).rare


def test_a_step_of_the_optimizer_is_a_step() -> None:
    found = condition("accelerator.sync_gradients")
    assert (found.rare, found.is_unknown, found.steps) == (False, False, 1)
