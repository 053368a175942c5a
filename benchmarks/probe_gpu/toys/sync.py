"""Reads the loss in each step, or at the end alone."""

import sys

import torch
from torch import nn

defect = sys.argv[1] == "defect"
torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(256, 256) for _ in range(48))).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(64, 256, device="cuda")
total = torch.zeros((), device="cuda")
read = 0.0
for _ in range(400):
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if defect:
        read += loss.item()
    else:
        total += loss.detach()
