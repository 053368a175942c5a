"""Reads the loss in each step, or at the end alone."""

import sys

import torch
from torch import nn

defect = sys.argv[1] == "defect"
device = "cuda" if torch.cuda.is_available() else "cpu"
width, depth = (256, 48) if device == "cuda" else (32, 8)
torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth))).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batch = torch.randn(64, width, device=device)
total = torch.zeros((), device=device)
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
