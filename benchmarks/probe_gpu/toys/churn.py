"""Empties the allocator's cache in each step, or never."""

import sys

import torch
from torch import nn

defect = sys.argv[1] == "defect"
device = "cuda" if torch.cuda.is_available() else "cpu"
width = 2048 if device == "cuda" else 32
torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(width, width) for _ in range(12))).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(width // 2, width, device=device)
for _ in range(400):
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
    if defect:
        torch.cuda.empty_cache()
