"""Tests of the time, or of the steps since an earlier one."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise
from trainlint.analysis.conditions.condition import ConditionKind

LIMITS = ["time.time() - last > 60", "60 < time.monotonic() - last", "elapsed > 60", "step >= next_save"]


@pytest.mark.parametrize("test", [*LIMITS, "step - last_step >= 100"])
def test_enough_has_passed(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare) == (ConditionKind.INTERVAL, True)


@pytest.mark.parametrize("test", LIMITS)
def test_not_enough_has_passed(test: str) -> None:
    assert not otherwise(test).rare


@pytest.mark.parametrize("test", ["elapsed > 0", "step - args.warmup > 0"])
def test_what_always_or_once_passes(test: str) -> None:
    assert not condition(test).rare
