"""Adagrad whose state stays behind."""

import torch
from torch import nn, optim


def train(criterion, train_loader, device):
    model = nn.Linear(64, 2)
    optimizer = optim.Adagrad(model.parameters(), lr=0.01)  #! TRN610
    model = model.to(device)
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        criterion(model(inputs.to(device, non_blocking=True)), targets.to(device, non_blocking=True)).backward()
        optimizer.step()


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adagrad(self.model.parameters())  #! TRN610
        self.model.cuda()
