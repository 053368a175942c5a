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


MASKS = {
    "a name": ("hits.sum() == 0", "hits = overlap > 0.5"),
    "a function": ("hits.sum() == 0", "hits = torch.ge(overlap, 0.5)"),
    "a count with a name": ("found < 1", "hits = overlap.gt(0.5) & inside\nfound = hits.sum().item()"),
    "no name": ("torch.count_nonzero(overlap > 0.5) <= 0", ""),
}


@pytest.mark.parametrize(("test", "before"), MASKS.values(), ids=MASKS)
def test_no_hits(test: str, before: str) -> None:
    assert condition(test, before=before).rare
    assert not otherwise(test, before=before).rare


@pytest.mark.parametrize(
    ("test", "before"),
    [
        ("hits.sum() == 0", "hits = weigh(overlap)"),
        ("loss.sum() > 0", "loss = a * b"),
        ("found == 0", "found = count()"),
    ],
)
def test_other_sums(test: str, before: str) -> None:
    assert not condition(test, before=before).rare
    assert not otherwise(test, before=before).rare
