"""Tests for the first epochs of a run."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition, otherwise


@pytest.mark.parametrize(
    "test", ["epoch < args.warmup_epochs", "self.warm_up_epoch >= epoch_num", "cur_epoch <= n_warmup"]
)
def test_warm_up(test: str) -> None:
    found = condition(test)
    assert (found.rare, found.words) == (True, "in the warm-up")
    assert not otherwise(test).rare


@pytest.mark.parametrize("test", ["epoch >= warmup", "args.warmup_epochs < epoch"])
def test_after_the_warm_up(test: str) -> None:
    assert not condition(test).rare
    assert otherwise(test).rare


@pytest.mark.parametrize(
    "test", ["epoch < args.epochs", "lr < warmup_lr", "step < args.warmup_steps", "warmup_epoch < warmup_epochs"]
)
def test_other_comparisons(test: str) -> None:
    assert not condition(test).rare
    assert not otherwise(test).rare
