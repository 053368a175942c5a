"""The file registers a hook, and leaves it out on purpose: no TRN415."""

import torch


def train(model: torch.nn.Module, criterion, optimizer, train_loader, profiler):
    model.register_forward_hook(profiler.note)
    for inputs, targets in train_loader:
        loss = criterion(model.forward(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
