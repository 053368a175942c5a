"""Tests of a name by what was assigned to it."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    ("before", "kind", "rare"),
    [
        ("due = step % 100 == 0", ConditionKind.INTERVAL, True),
        ("due = not step % 100 and rank == 0", ConditionKind.INTERVAL, True),
        ("due = False\nif step % 100 == 0:\n    due = True", ConditionKind.INTERVAL, True),
        ("due = torch.cuda.is_available()", ConditionKind.HARDWARE, False),
        ("due = rank == 0", ConditionKind.RANK, False),
        ("due = timer.read()", ConditionKind.UNKNOWN, False),
        ("due, other = step % 100 == 0, 1", ConditionKind.UNKNOWN, False),
    ],
)
def test_names(before: str, kind: ConditionKind, rare: bool) -> None:
    found = condition("due", before=before)
    assert (found.kind, found.rare) == (kind, rare)
