"""Values that code takes for tensors as well as for numbers: reading them as Python values may cost nothing."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import judged
from trainlint_rules.sync.tensor_read_as_python_value import TensorReadAsPythonValue

MOVED = """
import torch
from torch.utils.data import DataLoader


def train(model, optimizer, dataset):
    for batch in DataLoader(dataset, batch_size=8):
        {0}
        optimizer.zero_grad()
        loss = model(batch["image"])
        if batch["reset"]:
            loss = loss * 2
        loss.backward()
        optimizer.step()
"""
ALL = 'batch = {key: value.to("cuda") for key, value in batch.items()}'
TENSORS = 'batch = {key: value.to("cuda") if torch.is_tensor(value) else value for key, value in batch.items()}'
IN_PLACE = """for key, value in batch.items():
            batch[key] = value.to("cuda")"""
TENSORS_IN_PLACE = """for key, value in batch.items():
            if isinstance(value, torch.Tensor):
                batch[key] = value.to("cuda")"""


@pytest.mark.parametrize(
    ("moves", "shown"),
    [
        (ALL, True),
        (IN_PLACE, True),
        (TENSORS, False),
        (TENSORS_IN_PLACE, False),
    ],
)
def test_a_batch_of_which_only_the_tensors_are_moved_may_hold_numbers(moves: str, shown: bool) -> None:
    assert bool(judged(MOVED.format(moves), TensorReadAsPythonValue).findings) is shown


SCALED = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x, scale):
        {0}
        if scale > 1:
            x = x + 1
        return x


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        model(x.cuda(), x.cuda().mean()).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("x = x * scale", True),
        ("x = x * scale if isinstance(scale, float) else x * scale.view(-1, 1)", False),
        ("if isinstance(scale, float):\n            x = x * scale", False),
        ("if isinstance(scale, float):\n            scale = torch.tensor(scale).cuda()", True),
        ("assert isinstance(scale, torch.Tensor)", True),
    ],
)
def test_a_parameter_whose_type_the_function_asks_for_may_be_a_number(before: str, shown: bool) -> None:
    assert bool(judged(SCALED.format(before), TensorReadAsPythonValue).findings) is shown
