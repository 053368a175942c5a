"""Modules inside of modules, one of which is slow; the argument asks for more."""

import sys
import time

import torch
from torch import nn

WHAT = sys.argv[1] if len(sys.argv) > 1 else ""


class Slow(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8))

    def forward(self, x):
        time.sleep(1.2 if WHAT == "slow" else 0.005)
        return x * self.weight


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(Slow(), nn.ReLU())
        self.head = nn.Linear(8, 2)
        self.unused = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


torch.manual_seed(0)
models = [Net(), Net()] if WHAT == "two" else [Net()]
optimizer = torch.optim.SGD([weight for model in models for weight in model.parameters()], lr=0.01)
criterion = nn.MSELoss()
for _ in range(200):
    loss = sum(criterion(model(torch.ones(4, 8)), torch.ones(4, 2)) for model in models)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
