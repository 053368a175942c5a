"""Gradients that are cleared parameter by parameter."""

import torch


def train(model, criterion, train_loader):
    optimizer = torch.optim.Adam(model.parameters())
    for inputs, targets in train_loader:
        criterion(model(inputs), targets).backward()
        optimizer.step()
        for parameter in model.parameters():
            parameter.grad = None


def hundred_times(model, optimizer, inputs):
    for _ in range(1):
        model(inputs).sum().backward()
        optimizer.step()
