"""A helper reads only what is a tensor among its arguments."""

import math

import torch


def check(value):
    if isinstance(value, torch.Tensor):
        value = value.item()
    return math.isnan(value)


def check_at_once(value):
    return math.isnan(value.item() if isinstance(value, torch.Tensor) else value)


def train(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.to("cuda", non_blocking=True)
        targets = targets.to("cuda", non_blocking=True)
        loss = criterion(model(inputs), targets)
        if check_at_once(loss) or check(loss):  #! TRN218
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
