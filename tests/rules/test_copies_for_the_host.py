"""Copies for lists of numbers are no piece of a forward pass, though a loss may need what comes of them."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import judged
from trainlint_rules.sync.device_hop_in_forward import DeviceHopInForward
from trainlint_rules.sync.host_copy_in_training_step import HostCopyInTrainingStep

ASKED = """
import torch
from transformers import Trainer


def requests(ids: torch.Tensor):
    ids = ids.detach().cpu()
    rows: list[list[int]] = []
    for row in ids:
        rows.append({0})
    return rows


class Distiller(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        return model(inputs, self.teacher.ask(requests(inputs["ids"]))).loss
"""


@pytest.mark.parametrize(
    ("kept", "code"), [("row.tolist()", HostCopyInTrainingStep.code), ("row * 2", DeviceHopInForward.code)]
)
def test_what_only_the_host_can_use_is_copied_for_it(kept: str, code: str) -> None:
    found = judged(ASKED.format(kept), HostCopyInTrainingStep, DeviceHopInForward).findings
    assert [finding.code for finding in found] == [code]
