"""Tests that some ranks pass: they make nothing rare, since the job waits for its slowest rank."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    "test", ["rank == 0", "not rank", "local_rank in (-1, 0)", "is_main_process()", "args.local_rank > 0", "saves"]
)
def test_ranks(test: str) -> None:
    found = condition(test, before="saves = rank in (-1, 0)")
    assert found.kind is ConditionKind.RANK
    assert found.holds_each_step
