"""Matrix products in float32 without tensor cores, or under autocast."""

import contextlib
import sys

import torch
from torch import nn

defect = sys.argv[1] == "defect"
torch.manual_seed(0)
torch.set_float32_matmul_precision("highest")
model = nn.Sequential(*(nn.Linear(4096, 4096) for _ in range(8))).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(4096, 4096, device="cuda")
for _ in range(400):
    with contextlib.nullcontext() if defect else torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
