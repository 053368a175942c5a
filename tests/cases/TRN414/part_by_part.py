"""The parts of the model are switched one by one: no TRN414."""

import torch


def fit(model, criterion, optimizer, train_loader, test_loader, epochs):
    for epoch in range(epochs):
        for part in model.children():
            part.training = True
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            correct = sum((model(inputs).argmax(1) == targets).sum() for inputs, targets in test_loader)
