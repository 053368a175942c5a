"""Tests that a random number decides."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    ("test", "rare"),
    [
        ("random.random() < 0.01", True),
        ("random.random() > 0.99", True),
        ("torch.rand(1).item() < 0.01", True),
        ("random.random() < 0.5", False),
        ("random.random() < args.mixup", False),
    ],
)
def test_chances(test: str, rare: bool) -> None:
    found = condition(test)
    assert (found.kind, found.rare) == (ConditionKind.CHANCE, rare)


def test_the_other_branch_has_the_other_chance() -> None:
    assert not otherwise("random.random() < 0.01").rare
    assert otherwise("random.random() < 0.99").rare
