"""A name is turned into a tensor: no TRN416."""

import torch


def train(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        target = torch.zeros(8)
        target = torch.tensor(target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
