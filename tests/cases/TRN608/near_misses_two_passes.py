"""A second backward pass fills the gradients before they are clipped: no TRN608."""

import torch


def train(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
        criterion(model(targets), inputs).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
