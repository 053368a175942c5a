"""A helper reads only what is a tensor among its arguments, and its caller decides."""

import torch


def norms(model, values):
    found = []
    for parameter in model.parameters():
        found.append(values[parameter].item() if isinstance(values, torch.Tensor) else parameter.shape)
    return found


def train(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.to("cuda", non_blocking=True)
        targets = targets.to("cuda", non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        norms(model, loss)  #! TRN218
