"""Tensors that are made on the host and copied, although the device could have made them."""

from __future__ import annotations

import pytest

from tests.interpreter.running import places, run_files


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("torch.arange(8)", "MADE_ON_HOST"),
        ("torch.arange(8) * 4", "MADE_ON_HOST"),
        ("(torch.arange(8).unsqueeze(0) == torch.arange(8).unsqueeze(1)).float()", "MADE_ON_HOST"),
        ("torch.cat([torch.arange(8), torch.zeros(8)]) + torch.ones(16)", "MADE_ON_HOST"),
        ("torch.arange(8) * torch.from_numpy(numbers)", "BATCH_COPY"),
        ("torch.rand(8, 1).expand_as(weights)", "MADE_ON_HOST"),
        ("torch.rand(8, 1).view_as(weights)", "MADE_ON_HOST"),
        ("torch.normal(0.0, 0.1, size=(1, 8))", "MADE_ON_HOST"),
        ("torch.normal(mean=0.0, std=0.1, size=(1, 8))", "MADE_ON_HOST"),
    ],
)
def test_what_is_computed_from_factories_alone_could_be_made_on_the_device(expression: str, expected: str) -> None:
    code = f"""
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(3, 3).cuda()
weights = torch.ones(8, device="cuda")
for batch in DataLoader([]):
    made = {expression}
    model(batch.cuda(non_blocking=True) + made.cuda()).sum().backward()
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == [f"train.py:8 {expected} sure"]


def test_a_tensor_of_what_is_not_known_copies_it() -> None:
    code = """
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader([]):
    weights = torch.tensor(lookup(batch), device="cuda")
    weights = torch.as_tensor(lookup(batch), device="cuda")
    model(batch.cuda(non_blocking=True) * weights).sum().backward()
"""
    _, events = run_files([("train.py", code)])
    assert places(events) == ["train.py:6 DATA_COPY sure"]
