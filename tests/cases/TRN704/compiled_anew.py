"""Wrappers of compiled code that are built where they are called."""

import torch
from torch import nn


def steps(model, criterion, optimizer, train_loader, k):
    for inputs, targets in train_loader:
        fast = torch.compile(model, mode="reduce-overhead")  #! TRN704
        loss = criterion(fast(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Scaled(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x, scale):
        @torch.compile  #! TRN704
        def scaled(y):
            return torch.tanh(y) * scale

        return scaled(self.linear(x))


def epochs(model, criterion, optimizer, train_loader, options):
    for _ in range(10):
        if options.compile:
            model = torch.compile(model)  #! TRN704
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def with_a_helper(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        loss = compiled_loss(model, criterion, inputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def compiled_loss(model, criterion, inputs, targets):
    return torch.compile(criterion)(model(inputs), targets)  #! TRN704
