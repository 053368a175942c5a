"""Optimizers that never get to know their gradients."""

import torch
from torch import optim


def train(model, criterion, train_loader, lr):
    for step, (inputs, targets) in enumerate(train_loader):
        rate = lr * 0.999**step
        optimizer = optim.Adam(model.parameters(), lr=rate)  #! TRN603
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()


class Trainer:
    def fit(self, train_loader):
        for inputs, targets in train_loader:
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)  #! TRN603
            loss = self.criterion(self.model(inputs), targets)
            loss.backward()
            self.optimizer.step()
            self.model.zero_grad()
