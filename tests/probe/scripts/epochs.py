"""Goes through a small set again and again: epochs.py WORKERS [keep]."""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

workers, keeps = int(sys.argv[1]), "keep" in sys.argv
loader = DataLoader(TensorDataset(torch.randn(80, 8)), batch_size=8, num_workers=workers, persistent_workers=keeps)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(10):
    for (inputs,) in loader:
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
