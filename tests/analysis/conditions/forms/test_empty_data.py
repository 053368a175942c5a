"""Tests for a tensor without elements."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise


@pytest.mark.parametrize(
    "test", ["boxes.shape[0] == 0", "boxes.size(0) < 1", "boxes.numel() <= 0", "not boxes.numel()"]
)
def test_no_data(test: str) -> None:
    found = condition(test)
    assert (found.rare, found.words) == (True, "where there is no data")
    assert not otherwise(test).rare


@pytest.mark.parametrize("test", ["boxes.shape[0] > 0", "boxes.size(0) >= 1", "boxes.numel() != 0", "boxes.numel()"])
def test_data(test: str) -> None:
    assert not condition(test).rare
    assert otherwise(test).rare


@pytest.mark.parametrize(
    "test", ["boxes.shape[0] == 4", "boxes.numel() < 100", "len(queue) == 0", "boxes.size(0) == other.size(0)"]
)
def test_other_sizes(test: str) -> None:
    assert not condition(test).rare
