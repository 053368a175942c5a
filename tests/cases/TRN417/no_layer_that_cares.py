"""A network that does the same in both modes, and an evaluation that others call."""

import torch
from torch import nn

from pictures import test_loader, train_loader

model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 10))
optimizer = torch.optim.AdamW(model.parameters())
for inputs, targets in train_loader:
    loss = nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    for inputs, targets in test_loader:
        print(model(inputs).argmax(1) == targets)
