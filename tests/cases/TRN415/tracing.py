"""The file exports the forward by itself: no TRN415."""

import torch
import torch.onnx


def train(model: torch.nn.Module, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        loss = criterion(model.forward(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
