"""Contexts in which nothing is lost, or nothing is trained."""

import torch


def train(model, teacher, criterion, optimizer, train_loader, dtype):
    for inputs, targets in train_loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.no_grad(), torch.autocast("cuda"):
            wanted = teacher(inputs)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(inputs), targets, wanted)
        with torch.autocast("cuda", dtype=dtype):
            loss = loss + criterion(model(inputs), targets)
        with torch.autocast("cuda", enabled=False):
            loss = loss + criterion(model(inputs), targets)
        with torch.autocast("cpu"):
            loss = loss + criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, val_loader):
    model.eval()
    right = 0
    for inputs, targets in val_loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda"):
            right += (model(inputs).argmax(1) == targets).sum()
    return right.item()


if __name__ == "__main__":
    from project import criterion, model, optimizer, teacher, train_loader, val_loader

    train(model, teacher, criterion, optimizer, train_loader, torch.bfloat16)
    evaluate(model, val_loader)
