"""A small network whose input is worked out by Python in equal pieces."""

import torch
from torch import nn

PIECES = 20
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters())
for number in range(100_000):
    for _ in range(PIECES):
        values = [sum((number + column) * row % 17 for row in range(700)) / 5600 for column in range(8)]
    loss = model(torch.tensor([values])).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
