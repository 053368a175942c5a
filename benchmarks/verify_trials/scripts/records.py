"""A small network whose records are read from text in equal pieces."""

import json

import torch
from torch import nn

PIECES = 20
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
text = json.dumps(torch.randn(24, 64).tolist())
for _ in range(100_000):
    for _ in range(PIECES):
        batch = torch.tensor(json.loads(text))
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
