"""A scaler of the project's own, whose scale is a number."""

import torch


class LossScaler:
    def __init__(self):
        self.number = 128.0

    def get_scale(self):
        return self.number


def train(model, criterion, optimizer, scaler, train_loader, device):
    for inputs, targets in train_loader:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets) * scaler.get_scale()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), "model.pt")
