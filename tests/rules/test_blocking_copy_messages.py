"""What TRN205 advises, by where the copied memory comes from."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import judged
from trainlint_rules.sync.blocking_batch_copy import BlockingBatchCopy

STEP = """
import torch
from torch.utils.data import DataLoader


def train(model, optimizer, dataset):
    weight = torch.ones(1, device="cuda")
    loader = DataLoader(dataset, batch_size=8, pin_memory=True)
    for inputs in loader:
        inputs = {}
        optimizer.zero_grad()
        model(inputs).sum().backward()
        optimizer.step()
"""
CAST = "pass `non_blocking=True` and `dtype=...` here instead of calling `.float()` first"
ADVICE = {
    'inputs.to("cuda")': "pass `non_blocking=True` here",
    'inputs.squeeze(1).to("cuda")': "pass `non_blocking=True` here",
    'inputs.float().to("cuda")': CAST,
    "torch.as_tensor(inputs, device={0: 'cuda'}[0])": "copy by `.to({0: 'cuda'}[0], non_blocking=True)`",
    "inputs.type_as(weight)": "copy by `.to(weight, non_blocking=True)`",
    'inputs.float()\n        inputs = inputs[:, -1:].to("cuda")': CAST,
}


@pytest.mark.parametrize("copy", ADVICE)
def test_a_cast_before_the_copy_may_have_left_pinned_memory(copy: str) -> None:
    (finding,) = judged(STEP.format(copy), BlockingBatchCopy).findings
    assert finding.help == ADVICE[copy]


UNPACKED = """
from torch.utils.data import DataLoader


def train(model, optimizer, dataset):
    loader = DataLoader(dataset, batch_size=8, pin_memory=True)
    for batch in loader:
        for {0}:
            batch[part] = batch[part].to("cuda")
        optimizer.zero_grad()
        model(batch["x"]).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize("loop", ["part in batch.keys()", "part in batch"])
def test_an_entry_of_a_pinned_batch_is_not_cut_from_a_larger_tensor(loop: str) -> None:
    (finding,) = judged(UNPACKED.format(loop), BlockingBatchCopy).findings
    assert finding.help == "pass `non_blocking=True` here"


HELPER = """
from helpers import build_loader


def train(model, optimizer, settings):
    loader = build_loader(settings)
    for inputs in loader:
        inputs = inputs.to("cuda")
        optimizer.zero_grad()
        model(inputs).sum().backward()
        optimizer.step()
"""


def test_a_loader_out_of_sight_may_pin_its_memory_already() -> None:
    (finding,) = judged(HELPER, BlockingBatchCopy).findings
    assert finding.help == "make sure that the loader has `pin_memory=True`, and pass `non_blocking=True` here"


OWN_TO = """
import torch


class Boxes:
    def __init__(self, corners: torch.Tensor):
        self.corners = corners

    def to(self, device: torch.device):
        return Boxes(self.corners.to(device))


def train(model, optimizer, loader):
    for inputs in loader:
        boxes = Boxes(model(inputs))
        loss = model.loss(boxes.to(torch.device("cuda")))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_where_the_tensors_of_an_object_lie_is_not_known_in_its_own_to() -> None:
    assert not judged(OWN_TO, BlockingBatchCopy).findings
