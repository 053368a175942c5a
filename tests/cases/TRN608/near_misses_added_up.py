"""Gradients add up over rounds, and the next step uses them: no TRN608."""

import torch


def train(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        loss.backward()  #! TRN605
        optimizer.step()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
