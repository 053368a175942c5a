"""Modes that are put back: at the top of the epoch, after the evaluation, by a value."""

import torch


def fit(model, criterion, optimizer, train_loader, test_loader, epochs):
    for epoch in range(epochs):
        model.train(True)
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        evaluate(model, test_loader)


@torch.no_grad()
def evaluate(model, test_loader):
    was_training = model.training
    model.eval()
    right = sum((model(inputs).argmax(1) == targets).sum() for inputs, targets in test_loader)
    model.train(was_training)
    return right
