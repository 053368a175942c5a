"""`non_blocking=True` is passed only to a `to` that takes it."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixed, fixes
from trainlint.finding import Safety

CODE = """import torch
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data import DataLoader

from graphs import GraphBatch, GraphLoader


class Plain:
    def __init__(self, rows):
        self.rows = rows

    def to(self, device):
        return Plain(self.rows.to(device))


class Going(Plain):
    def to(self, device, non_blocking=False):
        return Going(self.rows.to(device, non_blocking=non_blocking))


class Open(Plain):
    def to(self, device, **options):
        return Open(self.rows.to(device, **options))


def plain(rows):
    return Plain(torch.stack(rows))


def going(rows):
    return Going(torch.stack(rows))


def opened(rows):
    made = Open(torch.stack(rows))
    return made


def step(model, optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


{more}
def train(model, optimizer, loader, dataset, device: torch.device):
    {made}
    for {taken} in loader:
        {copy}
        step(model, optimizer, model({given}).mean())
"""


def code(
    made: str = "pass",
    copy: str = "batch = batch.to(device)",
    taken: str = "batch",
    given: str = "batch",
    more: str = "",
) -> str:
    return CODE.format(made=made, copy=copy, taken=taken, given=given, more=f"{more}\n\n" if more else "")


TAKES = {
    "PyTorch's own batches": code("loader = DataLoader(dataset, 4, num_workers=2, pin_memory=True)"),
    "a class that takes it": code("loader = DataLoader(dataset, 4, collate_fn=going)"),
    "a class that takes any option": code("loader = DataLoader(dataset, 4, collate_fn=opened)"),
    "a tensor by its use": code(copy="print(batch.shape)\n        batch = batch.to(device)"),
    "a tensor by arithmetic": code(copy="rows = rows.to(device)", taken="rows, labels", given="rows * 2 + labels"),
}
MAY_NOT = {
    "a batch from elsewhere": code(),
    "a part of one": code(copy="graph = graph.to(device)", taken="graph, label", given="graph"),
    "a loader of a library": code("loader = GraphLoader(dataset, 4)"),
    "a class that does not take it": code("loader = DataLoader(dataset, 4, collate_fn=plain)"),
    "a class of a library": code("loader = DataLoader(dataset, 4, collate_fn=GraphBatch.from_list)"),
    "a function that nobody sees": code("loader = DataLoader(dataset, 4, collate_fn=dataset.collate)"),
    "a lambda": code("loader = DataLoader(dataset, 4, collate_fn=lambda rows: GraphBatch(rows))"),
    "a helper copies it": code(
        copy="batch = batch_to_device(batch, device)",
        more="def batch_to_device(batch, device):\n    return batch.to(device)",
    ),
}


@pytest.mark.parametrize("text", TAKES.values(), ids=TAKES)
def test_what_takes_it_gets_it(text: str) -> None:
    assert ".to(device, non_blocking=True)" in fixed(text, "TRN205", Safety.UNSAFE)


@pytest.mark.parametrize("text", MAY_NOT.values(), ids=MAY_NOT)
def test_what_may_not_take_it_is_left_alone(text: str) -> None:
    assert "TRN205" not in fixes(text, "TRN205")


OWN = """import torch


class Boxes:
    def __init__(self, rows):
        self.rows = rows

    def {name}(self, device: torch.device):
        return self.rows.{name}(device)


def train(model, optimizer, loader, device: torch.device):
    for rows in loader:
        loss = model(Boxes(rows).{name}(device)).sum()
        loss.backward()
        optimizer.step()
"""


def test_an_own_to_may_bring_results_to_the_host() -> None:
    assert "TRN205" not in fixes(OWN.format(name="to"), "TRN205")
    assert "self.rows.cuda(device, non_blocking=True)" in fixed(OWN.format(name="cuda"), "TRN205", Safety.UNSAFE)
