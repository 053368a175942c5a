"""What counts as the state of a training when two runs are compared."""

from __future__ import annotations

import torch
from torch import nn

from trainlint_probe.compared.computing import _all_tensors, _digest_and_norm


def state() -> str:
    return _digest_and_norm(_all_tensors())[0]


def test_a_constant_that_is_not_saved_is_no_part_of_the_state() -> None:
    model = nn.Linear(2, 2)
    before = state()

    model.register_buffer("steps", torch.arange(2), persistent=False)
    assert state() == before

    model.register_buffer("mean", torch.ones(2))
    assert state() != before
