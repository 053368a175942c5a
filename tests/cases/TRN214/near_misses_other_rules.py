"""Checks that a progress bar shows, or that the callers decide about."""

import torch
from tqdm import tqdm


def is_bad(value):
    if isinstance(value, torch.Tensor):
        return torch.isnan(value).any().item()
    return value != value


def train(model, criterion, optimizer, train_loader, device):
    bar = tqdm(train_loader)
    for inputs, targets in bar:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bar.set_postfix(bad=torch.isnan(loss).item())  #! TRN201
