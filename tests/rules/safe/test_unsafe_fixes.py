"""An UNSAFE fix needs a person's judgement, but it is never plainly wrong."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixed, fixes
from trainlint.finding import Safety

TORCH = "import torch\nfrom torch import nn\n\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model.encoder.require_grad = False", "model.encoder.requires_grad_(False)"),
        ("model.requires_grad_ = False", "model.requires_grad_(False)"),
        ("model.encoder.layers[0].requires_grads = flag", "model.encoder.layers[0].requires_grad_(flag)"),
        ("model.embedding.weight.require_grad = False", "model.embedding.weight.requires_grad = False"),
        ("for p in model.parameters():\n        p.require_grad = False", "p.requires_grad = False"),
        ("for name, p in model.named_parameters():\n        p.require_grad = False", "p.requires_grad = False"),
        ("x = torch.ones(3)\n    x.require_grad = True", "x.requires_grad = True"),
    ],
)
def test_a_module_is_frozen_by_its_method(before: str, after: str) -> None:
    text = fixed(f"{TORCH}def freeze(model, flag):\n    {before}\n", "TRN807", Safety.UNSAFE)
    assert text.splitlines()[-1].strip() == after


def test_a_flag_that_is_set_along_with_another_is_left_to_a_person() -> None:
    assert not fixes(f"{TORCH}def freeze(model):\n    model.a.require_grad = model.b.require_grad = False\n", "TRN807")


ZEROED = """
import torch


def train(model, optimizer, loader, sums):
    for batch in loader:
        for p in model.parameters():
            p.grad{data}.zero_()
        model(batch).sum().backward()
        for p, total in zip(model.parameters(), sums):
            {use}
        optimizer.step()
"""


@pytest.mark.parametrize("data", ["", ".data"])
@pytest.mark.parametrize(
    "use",
    [
        "p.grad.data.copy_(total)",
        "p.grad.data += total",
        "p.grad.data[:] = total",
        "p.grad[0] = total",
        "torch.add(p.grad, total, out=p.grad)",
        "grad = p.grad.data; grad.add_(total)",
    ],
)
def test_gradients_that_are_written_into_stay_where_they_are(use: str, data: str) -> None:
    assert not fixes(ZEROED.format(use=use, data=data), "TRN306")


@pytest.mark.parametrize("use", ["total += p.grad.data", "total.copy_(p.grad)", "print(p.grad.norm())"])
def test_gradients_that_are_only_read_may_go(use: str) -> None:
    assert fixes(ZEROED.format(use=use, data=""), "TRN306")


SAMPLED = """
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(model, optimizer, dataset, distributed):
    {before}
    for epoch in range(10):
        {first}
        for batch in loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()


train(*prepared())
"""
MADE = "sampler = DistributedSampler(dataset); loader = DataLoader(dataset, sampler=sampler)"


@pytest.mark.parametrize(
    ("before", "first"),
    [("if distributed:\n        " + MADE, "pass"), ("pass", "print(epoch); " + MADE), ("pass", MADE)],
    ids=["in one branch", "further down in the loop", "in the line itself"],
)
def test_nothing_is_put_in_that_reads_a_name_before_it_is_bound(before: str, first: str) -> None:
    assert not fixes(SAMPLED.format(before=before, first=first), "TRN108")


def test_a_name_that_is_bound_may_be_read() -> None:
    after = fixed(SAMPLED.format(before=MADE, first="pass"), "TRN108", Safety.UNSAFE)
    assert "for epoch in range(10):\n        sampler.set_epoch(epoch)\n" in after
