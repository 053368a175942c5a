"""Modules whose forward is called past their hooks."""

import torch
from torch import nn


class Chebyshev(nn.Module):
    def __init__(self, width, order):
        super().__init__()
        self.lins = nn.ModuleList([nn.Linear(width, width) for _ in range(order)])
        self.head = nn.Sequential(nn.Linear(width, width), nn.ReLU())

    def forward(self, x, walk):
        out = self.head.forward(x)  #! TRN415
        for lin in self.lins:
            x = walk @ x
            out = out + lin.forward(x)  #! TRN415
        return out


def train(optimizer, train_loader):
    model = nn.parallel.DistributedDataParallel(nn.Linear(8, 8).cuda())
    for inputs, targets in train_loader:
        loss = nn.functional.mse_loss(model.forward(inputs), targets)  #! TRN415
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
