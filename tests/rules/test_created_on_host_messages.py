"""TRN207 says how to make a tensor on the device, by how code makes it on the host."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import judged
from trainlint_rules.sync.created_on_host_then_moved import CreatedOnHostThenMoved

STEP = """import torch

model = torch.nn.Linear(4, 4).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in torch.utils.data.DataLoader(data):
    batch = batch.cuda(non_blocking=True)
    made = {}
    loss = model(batch + made).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
EMPTY = "make it with `torch.empty(..., device={})` in its dtype: the old constructor takes no device"
HELP = {
    "torch.FloatTensor(batch.size(0), 4).uniform_().cuda()": EMPTY.format('"cuda"'),
    "torch.FloatTensor(1, 4).zero_().type(batch.type())": EMPTY.format("batch.device"),
    "torch.FloatTensor([1, 2]).cuda()": "make the constant once, as a buffer or before the loop",
    "torch.ones(4).cuda()": 'pass `device="cuda"`',
}


@pytest.mark.parametrize("made", HELP)
def test_help_fits_the_way_in_which_the_tensor_is_made(made: str) -> None:
    findings = judged(STEP.format(made), CreatedOnHostThenMoved).findings
    assert [item.help for item in findings] == [HELP[made]]
