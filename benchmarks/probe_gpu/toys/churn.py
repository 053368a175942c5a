"""Empties the allocator's cache in each step, or never."""

import sys

import torch
from torch import nn

defect = sys.argv[1] == "defect"
torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(2048, 2048) for _ in range(12))).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(1024, 2048, device="cuda")
for _ in range(400):
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
    if defect:
        torch.cuda.empty_cache()
