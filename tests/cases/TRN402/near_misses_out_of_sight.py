"""Nobody in sight calls this: the caller may scale the loss that it gets."""

import torch


def train(model, criterion, optimizer, train_loader, backward):
    for inputs, targets in train_loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda"):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
