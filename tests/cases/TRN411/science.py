"""Science computes in float64: no TRN411."""

import numpy as np
import torch


def energy(positions):
    return positions.to(torch.float64).square().sum()


def train(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        weights = torch.from_numpy(np.linspace(1.0, 0.5, len(targets))).cuda(non_blocking=True)  #! TRN207
        loss = (criterion(model(inputs), targets) * weights).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
