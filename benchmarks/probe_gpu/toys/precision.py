"""Matrix products in float32 without tensor cores, or under autocast."""

import contextlib
import sys

import torch
from torch import nn

defect = sys.argv[1] == "defect"
device = "cuda" if torch.cuda.is_available() else "cpu"
width = 4096 if device == "cuda" else 32
torch.manual_seed(0)
torch.set_float32_matmul_precision("highest")
model = nn.Sequential(*(nn.Linear(width, width) for _ in range(8))).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(width, width, device=device)
for _ in range(400):
    with contextlib.nullcontext() if defect else torch.autocast(device, dtype=torch.bfloat16):
        loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
