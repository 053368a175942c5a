"""LBFGS runs forward and backward inside `step`."""

import time

import torch
from torch import nn

model = nn.Linear(64, 64)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)
inputs, targets = torch.randn(32, 64), torch.randn(32, 64)


def closure():
    optimizer.zero_grad()
    time.sleep(0.002)
    loss = (model(inputs) - targets).square().mean()
    loss.backward()
    return loss


for _ in range(500):
    optimizer.step(closure)
