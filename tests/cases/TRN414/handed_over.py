"""A function of another file is given the model, and may put it back."""

import torch

from project.evaluation import validate


def fit(model, criterion, optimizer, train_loader, test_loader, epochs):
    for epoch in range(epochs):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            validate(model, test_loader)
