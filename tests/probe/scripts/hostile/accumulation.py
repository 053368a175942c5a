"""Four backwards to a step."""

import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for number in range(5000):
    (model(torch.randn(8, 4)).square().mean() / 4).backward()
    if number % 4 == 3:
        optimizer.step()
        optimizer.zero_grad()
