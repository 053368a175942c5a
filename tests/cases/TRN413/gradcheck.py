"""Gradients are compared with finite differences: no TRN413."""

import torch


def check(layer, inputs):
    return torch.autograd.gradcheck(layer, inputs)


def train(model, criterion, optimizer, train_loader):
    torch.autograd.set_detect_anomaly(True)
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
