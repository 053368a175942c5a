"""The loss is scaled by hand: no TRN402."""

import torch


def train(model, criterion, optimizer, train_loader, loss_scale):
    for inputs, targets in train_loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda"):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        (loss * loss_scale).backward()
        optimizer.step()


if __name__ == "__main__":
    from project import criterion, model, optimizer, train_loader

    train(model, criterion, optimizer, train_loader, 1024)
