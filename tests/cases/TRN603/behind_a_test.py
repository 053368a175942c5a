"""The optimizer is built anew where the data ask for it: no TRN603."""

import torch


def train(model, criterion, train_loader):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for inputs, targets in train_loader:
        if criterion.restarts:
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
