"""Tests for a better result than all before."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    ("test", "body"),
    [
        ("loss < best_loss", "best_loss = loss"),
        ("score > model.best", "model.best = score"),
        ("is_best", "act()"),
    ],
)
def test_a_new_best(test: str, body: str) -> None:
    found = condition(test, body=body)
    assert (found.kind, found.rare) == (ConditionKind.NEW_BEST, True)


def test_a_comparison_with_the_best_that_keeps_it() -> None:
    assert not condition("loss > best_loss", body="patience += 1").rare
