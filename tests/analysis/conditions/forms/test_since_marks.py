"""Tests of how far something has come since a mark, and of flags that end the loop."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise
from trainlint.analysis.conditions.condition import ConditionKind

MARKS = [
    "seen >= start + every",
    "start + every <= seen",
    "seen > every + start",
    "seen - start >= every * 1000",
    "every < seen - start",
]


@pytest.mark.parametrize("test", MARKS)
def test_enough_since_a_mark_that_the_loop_sets(test: str) -> None:
    found = condition(test, before="seen += len(batch)", body="act()\nstart = seen")
    assert (found.kind, found.rare) == (ConditionKind.INTERVAL, True)


@pytest.mark.parametrize("test", MARKS)
def test_not_enough_since_a_mark(test: str) -> None:
    assert not otherwise(test, before="seen += len(batch)\nif due:\n    start = seen").rare


@pytest.mark.parametrize("test", MARKS)
def test_mark_that_the_loop_does_not_set(test: str) -> None:
    assert not condition(test, before="seen += len(batch)", top="seen = 0\nstart = seen").rare


def test_mark_of_an_object() -> None:
    assert condition("self.seen - self.mark > 500", body="self.mark = self.seen").rare
    assert not condition("self.seen - self.mark > 500", body="self.mark = other").rare


@pytest.mark.parametrize("test", ["finished", "finished or seen >= start + every", "not (not finished)"])
def test_flag_that_ends_the_loop(test: str) -> None:
    before = "finished = seen >= total\nif finished:\n    break\nif due:\n    start = seen"
    assert condition(test, before=before).rare


@pytest.mark.parametrize("before", ["finished = seen >= total", "finished = seen >= total\nif finished:\n    act()"])
def test_flag_that_ends_nothing(before: str) -> None:
    assert not condition("finished", before=before).rare


def test_limit_that_the_branch_moves() -> None:
    assert condition("spent // 60 >= due", body="act()\ndue += 1").rare
    assert not condition("spent // 60 >= due", before="due += 1").rare
    assert not condition("spent // 60 >= due", body="act()\ndue = 1").rare


def test_count_that_the_branch_counts_on() -> None:
    assert condition("turn == 0", body="act()\nturn += 1").rare
    assert not condition("turn == 0", before="turn += 0", body="act()").rare
