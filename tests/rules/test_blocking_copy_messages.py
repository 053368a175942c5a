"""What TRN205 advises, by where the copied memory comes from."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import judged
from trainlint_rules.sync.blocking_batch_copy import BlockingBatchCopy

STEP = """
from torch.utils.data import DataLoader


def train(model, optimizer, dataset):
    loader = DataLoader(dataset, batch_size=8, pin_memory=True)
    for inputs in loader:
        inputs = {}
        optimizer.zero_grad()
        model(inputs).sum().backward()
        optimizer.step()
"""
ADVICE = {
    'inputs.to("cuda")': "pass `non_blocking=True` to go on at once",
    'inputs.squeeze(1).to("cuda")': "pass `non_blocking=True` to go on at once",
    'inputs.float().to("cuda")': "which casts on the device",
    'inputs.float()\n        inputs = inputs[:, -1:].to("cuda")': "which casts on the device",
}


@pytest.mark.parametrize("copy", ADVICE)
def test_a_cast_before_the_copy_may_have_left_pinned_memory(copy: str) -> None:
    (finding,) = judged(STEP.format(copy), BlockingBatchCopy).findings
    assert ADVICE[copy] in finding.message
