"""Moves that are kept, or that change the thing itself."""

import torch
from torch import nn


def train(model, criterion, optimizer, loader, text_loader, device):
    model.to(device)
    criterion.cuda()
    head = nn.Linear(8, 8)
    head.to(device)
    for inputs, targets in loader:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(head(model(inputs)), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for batch in text_loader:
        batch.to(device, non_blocking=True)
        model(**batch)
    table = torch.zeros(3)
    table.resize_(4)
    return table.to(device)


class Holder:
    def to(self, device):
        self.values = torch.zeros(3).to(device)
        return self


def hold(device):
    holder = Holder()
    holder.to(device)
    return holder


