"""Tests that something went wrong."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise
from trainlint.analysis.conditions.condition import ConditionKind

FAILURES = [
    "torch.isnan(loss).any()",
    "not torch.isfinite(loss).all()",
    "loss != loss",
    "overflow",
    "loss.isnan().item()",
]


@pytest.mark.parametrize("test", FAILURES)
def test_failures(test: str) -> None:
    found = condition(test)
    assert (found.kind, found.rare) == (ConditionKind.FAILURE, True)
    assert otherwise(test).kind is ConditionKind.ALWAYS
