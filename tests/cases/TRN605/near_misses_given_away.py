"""A function out of sight is given the optimizer and may clear its gradients: no TRN605."""

import torch

from project import prepare


def train(model, criterion, train_loader):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for inputs, targets in train_loader:
        prepare(optimizer)
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
