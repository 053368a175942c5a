"""Optimizers and changes of gradients, written out."""

import torch


def train_by_hand(model, criterion, train_loader, lr=0.1):
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        loss.backward()
        with torch.no_grad():
            for weight in model.parameters():  #! TRN607
                weight -= lr * weight.grad
                weight.grad = None


def train_in_parts(model, optimizer, train_loader, accumulation_steps):
    parameters = [p for p in model.parameters() if p.requires_grad]
    iterator = iter(train_loader)
    for step in range(1000):
        for _ in range(accumulation_steps):
            model(next(iterator)).backward()
        for p in parameters:  #! TRN607
            p.grad /= accumulation_steps
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
