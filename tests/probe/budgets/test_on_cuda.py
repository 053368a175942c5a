"""Budgets on a real GPU, with a stand-in for CUDA's switch: it warns of each wait in `waits`."""

from __future__ import annotations

import warnings
from math import inf

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from trainlint_probe import allow, budget
from trainlint_probe.budgets.on_cuda import _pageable


@pytest.fixture
def mode(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A GPU that computes nothing. The list holds the mode of the switch."""
    mode = [0]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch._C, "_cuda_get_sync_debug_mode", lambda: mode[0], raising=False)
    monkeypatch.setattr(torch._C, "_cuda_set_sync_debug_mode", lambda new: mode.__setitem__(0, new), raising=False)
    return mode


def waits(mode: list[int]) -> None:
    """What an operator of CUDA does that synchronises."""
    if mode[0]:
        warnings.warn("called a synchronizing CUDA operation (Triggered internally at x.cpp:1.)", stacklevel=2)


def lines_of(spent: budget, limit: str) -> dict[str, float]:
    assert spent.spending is not None
    return {item.what: item.count for use in spent.spending.uses if use.limit == limit for item in use.lines}


def test_each_wait_that_cuda_warns_of_counts_for_its_line(mode: list[int]) -> None:
    with budget(syncs=inf) as spent:
        for _ in range(3):
            waits(mode)
        with allow("it is logged"):
            waits(mode)
    waits(mode)
    assert spent.spending is not None
    (use,) = spent.spending.uses
    assert [(item.what, item.count, item.allowed) for item in use.lines] == [
        ("wait for the GPU", 3, ""),
        ("wait for the GPU", 1, "it is logged"),
    ]
    assert all(item.at is not None and item.at.path.endswith("test_on_cuda.py") for item in use.lines)
    assert mode == [0]


def test_what_cuda_does_not_warn_of_counts_at_its_function(mode: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    with budget(syncs=inf, pageable_copies=inf) as spent:
        torch.cuda.synchronize()
        torch.ones(2).to("cpu")
        torch.ones(2).copy_(torch.ones(2))
    assert lines_of(spent, "syncs") == {"torch.cuda.synchronize": 1}
    assert lines_of(spent, "pageable-copies") == {}


@pytest.mark.parametrize(
    ("source", "target", "limits"),
    [
        ("cpu", "cuda", ("pageable-copies",)),
        ("cuda", "cpu", ("pageable-copies",)),
        ("cuda", "cuda", ()),
        ("cuda", "meta", ()),
    ],
)
def test_copies_from_memory_that_is_not_pinned_are_pageable(source: str, target: str, limits: tuple[str, ...]) -> None:
    with FakeTensorMode():
        made, filled = torch.empty(3, device=source), torch.empty(3, device=target)
    assert _pageable((filled, made, True), {}, filled) == limits
    assert _pageable((made, target), {"non_blocking": True}, filled) == limits


def test_warnings_are_as_before_when_it_has_closed(mode: list[int]) -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        filters, show = list(warnings.filters), warnings.showwarning
        with budget(syncs=inf):
            waits(mode)
            warnings.warn("of something else", stacklevel=1)
        assert (list(warnings.filters), warnings.showwarning) == (filters, show)
    assert [str(item.message) for item in shown] == ["of something else"]


def test_who_asked_for_the_warnings_still_gets_them(mode: list[int]) -> None:
    mode[0] = 1
    with pytest.warns(UserWarning, match="called a synchronizing"), budget(syncs=inf) as spent:
        waits(mode)
    assert lines_of(spent, "syncs") == {"wait for the GPU": 1}
    assert mode == [1]
