"""No fix overrules what somebody has chosen in so many words."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixes

TRAIN = """\
import torch
from torch.utils.data import DataLoader


def train(model, dataset, optimizer, pinned=False):
    loader = DataLoader(dataset, 64, num_workers=8PINNED)
    for images, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def offered(pinned: str) -> set[str]:
    """The rules that offer to rewrite the loader."""
    return set(fixes(TRAIN.replace("PINNED", pinned), "TRN102"))


def test_a_loader_that_says_nothing_is_pinned() -> None:
    assert offered("") == {"TRN102"}


@pytest.mark.parametrize("pinned", [", pin_memory=False", ", pin_memory=pinned"])
def test_a_loader_that_shall_not_pin_is_left_alone(pinned: str) -> None:
    assert offered(pinned) == set()
