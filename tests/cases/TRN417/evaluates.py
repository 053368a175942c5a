"""The caller sets the mode, under another name than the function that evaluates."""

import torch
from torch import nn

from pictures import test_loader, train_loader

model = nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.5), nn.Linear(64, 10))
optimizer = torch.optim.AdamW(model.parameters())


@torch.no_grad()
def test(network, loader):
    return sum((network(inputs).argmax(1) == targets).sum() for inputs, targets in loader)


for inputs, targets in train_loader:
    loss = nn.functional.cross_entropy(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
print(test(model, test_loader))
