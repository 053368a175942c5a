"""A loss of nothing."""

import torch
from torch import nn


class PairLoss(nn.Module):
    def forward(self, distances, pairs, weighted):
        if weighted == "nothing":
            return torch.tensor(0.0, device="cuda")
        return distances[pairs].mean()


def train(model, optimizer, train_loader):
    criterion = PairLoss()
    for inputs, pairs in train_loader:
        loss = criterion(model(inputs.cuda(non_blocking=True)), pairs, "all")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
