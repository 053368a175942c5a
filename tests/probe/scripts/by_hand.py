"""Has neither an optimizer nor a loader."""

import torch
from torch import nn

model = nn.Linear(8, 1)
for _ in range(100):
    model.zero_grad()
    loss = model(torch.randn(4, 8)).square().mean()
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.01 * parameter.grad
