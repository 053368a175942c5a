"""A tensor that stands in for a parameter is made in each step where the step leaves the parameter out."""

import torch
from torch import nn


def drop_labels(labels, dropped=None):
    if dropped is None:
        dropped = torch.rand(labels.shape[0]).cuda() < 0.1  #! TRN207
    return torch.where(dropped, torch.zeros_like(labels), labels)


def weighted(values, weights=None):
    if weights is None:
        weights = torch.linspace(0, 1, 16).cuda()  # no call of the step leaves it out
    return values * weights


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(16, 16)
        self.positions = None

    def forward(self, values, positions=None):
        if positions is None:
            if self.positions is None:
                self.positions = torch.arange(16).cuda()  # made the first time only, and kept
            positions = self.positions
        return self.project(values + positions)


def train(model: Embedder, optimizer, loader, weights):
    for values, labels in loader:
        values = values.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        loss = (model(weighted(values, weights)) - drop_labels(labels)).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
