"""A single round has no gradients before it: no TRN605."""

import torch


def train(model, criterion, train_loader):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(1):
        inputs, targets = next(train_loader)
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
