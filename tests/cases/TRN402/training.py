"""float16 with plain backward passes, with the whole way from the top of the module in sight."""

import torch


def step(model, criterion, optimizer, inputs, targets, half):
    with torch.autocast(device_type="cuda", dtype=torch.float16, enabled=half):  #! TRN402
        outputs = model(inputs)
    loss = criterion(outputs.float(), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train(model, criterion, optimizer, train_loader, half):
    for inputs, targets in train_loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        step(model, criterion, optimizer, inputs, targets, half)


def train_more(model, criterion, optimizer, train_loader):
    half = torch.autocast("cuda")  #! TRN402
    for inputs, targets in train_loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with half:
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    from project import criterion, model, optimizer, train_loader

    train(model, criterion, optimizer, train_loader, half=True)
    train_more(model, criterion, optimizer, train_loader)
