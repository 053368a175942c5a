"""The file speaks of hooks, and leaves them out on purpose: no TRN415."""

import torch


def train(model: torch.nn.Module, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        # Without the forward_hook of the profiler.
        loss = criterion(model.forward(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
