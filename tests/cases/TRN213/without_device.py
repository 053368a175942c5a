"""A scaler says that there is a GPU, where nothing else does."""

import torch


def train(model, criterion, optimizer, scaler, train_loader):
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        print(scaler.get_scale())  #! TRN213
    torch.save(model.state_dict(), "model.pt")
