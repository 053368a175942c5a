"""Indices of the host into tensors of the device: they are copied in each step."""

from __future__ import annotations

import pytest

from tests.interpreter.running import places, run_files


def _told(statement: str) -> list[str]:
    code = f"""
import numpy as np
import torch
from torch.utils.data import DataLoader
chosen = np.random.permutation(8)
model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader([]):
    output = model(batch.cuda(non_blocking=True))
    {statement}
    output.sum().backward()
"""
    return [place.split(" ", 1)[1] for place in places(run_files([("train.py", code)])[1])]


@pytest.mark.parametrize(
    "statement",
    [
        "output[chosen]",
        "output[:, chosen]",
        "output[[0, 1]]",
        "output[..., [0, 2]]",
        "output[[i for i in range(3)]]",
        "output[chosen] = 0",
        "output[np.tril_indices(3)[0]]",
        "output[chosen[2:]]",
        "output[np.random.choice(8, 4)]",
    ],
)
def test_arrays_and_lists_are_copied(statement: str) -> None:
    assert _told(statement) == ["INDEX_COPY sure"]


@pytest.mark.parametrize(
    "statement",
    [
        "output[chosen[0]]",
        "[output[k] for k in chosen]",
        "output[chosen.argmax()]",
        "output[0, 1]",
        "output[(0, 1)]",
        "output[np.random.randint(8)]",
        "output[0] = np.log(2)",
        "output.cpu()[chosen]",
    ],
)
def test_numbers_are_not_copied(statement: str) -> None:
    assert "INDEX_COPY sure" not in _told(statement)


def test_a_mask_of_the_device_indexes_what_is_not_known() -> None:
    assert _told("rows = lookup(output)[output > 0]") == ["MASK_INDEX sure"]
    assert _told("rows = lookup(output)[output > 0].sum().item()") == ["ITEM sure", "MASK_INDEX sure"]
