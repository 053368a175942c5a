"""The help of TRN209 fits the call: none is told to use what it is."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import judged

CODE = """
import torch
from torch.utils.data import DataLoader

def train(model, optimizer, dataset):
    for inputs in DataLoader(dataset, 64, pin_memory=True, num_workers=4):
        output = model(inputs.cuda(non_blocking=True))
        loss = output.sum()
        rows = {call}
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("torch.where(output > 0)", "keep the mask"),
        ("(output > 0).nonzero()", "keep the mask"),
        ("output.unique()", "mark each value"),
        ("torch.repeat_interleave(output, output.long())", "pass `output_size=...`"),
        ("torch.masked_select(output, output > 0)", "keep the mask"),
    ],
)
def test_the_advicefits_the_call(call: str, advice: str) -> None:
    (finding,) = [one for one in judged(CODE.format(call=call)).findings if one.code == "TRN209"]
    assert (finding.help or "").startswith(advice)
