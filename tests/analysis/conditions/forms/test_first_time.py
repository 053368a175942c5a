"""Tests for something missing, which the branch makes."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    ("test", "body"),
    [
        ("model.table is None", "model.table = make()"),
        ("not model.table", "model.table = make()"),
        ('not hasattr(model, "table")', "model.table = make()"),
        ('not hasattr(model, "table")', 'setattr(model, "table", make())'),
        ("key not in cache", "cache[key] = make()"),
        ("key not in model.cache", "model.cache[key] = make()"),
        ("len(model.seen) == 0", "model.seen.append(step)"),
        ('cache["table"] is None', 'cache["table"] = make()'),
    ],
)
def test_the_first_time(test: str, body: str) -> None:
    found = condition(test, body=body)
    assert (found.kind, found.rare) == (ConditionKind.FIRST_TIME, True)
    assert not condition(test, body="act()").rare


def test_what_ends_with_the_iteration_is_made_in_each() -> None:
    assert not condition("table is None", before="table = None", body="table = make()").rare


def test_an_early_exit_before_it_is_made() -> None:
    found = condition("True", before="if model.table is not None:\n    continue\nmodel.table = make()")
    assert found.kind is ConditionKind.ALWAYS  # the test itself; what is around it is read in test_around
