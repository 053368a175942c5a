"""Rows that are computed one by one: projected, compared, reduced."""

import torch
from torch import nn
from torch.nn import functional as F


class Matcher(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64).cuda()

    def forward(self, queries, keys):
        encoded = self.layer(queries)
        distances = torch.zeros(8, device="cuda")
        for row in range(encoded.shape[0]):  #! TRN412
            difference = encoded[row] - keys[row]
            distances[row] = torch.linalg.norm(difference)
        return distances


def train(model, optimizer, train_loader):
    for inputs, targets in train_loader:
        scores = F.softmax(torch.randn(8, 4, device="cuda"), dim=1)
        losses = []
        for i in range(scores.size(0)):  #! TRN412
            losses.append(F.mse_loss(scores[i], targets[i]))
        loss = torch.stack(losses).mean() + model(inputs).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
