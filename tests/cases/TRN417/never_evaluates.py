"""Dropout stays on while a model is tested: in the script, and in a function that the script calls."""

import torch
from torch import nn

from pictures import test_loader, train_loader

model = nn.Sequential(nn.Linear(64, 64, bias=False), nn.BatchNorm1d(64), nn.Dropout(0.5), nn.Linear(64, 10))
optimizer = torch.optim.AdamW(model.parameters())


@torch.no_grad()
def test(network, loader):
    right = 0
    for inputs, targets in loader:
        right += (network(inputs).argmax(1) == targets).sum()  #! TRN417
    return right


for inputs, targets in train_loader:
    loss = nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

with torch.no_grad():
    for inputs, targets in test_loader:
        print(model(inputs).argmax(1) == targets)  #! TRN417

print(test(model, test_loader))
