"""Schedules that move on in time, and other things with a step."""

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, ReduceLROnPlateau


def in_order(model, criterion, train_loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler, plateau = CosineAnnealingLR(optimizer, epochs), ReduceLROnPlateau(optimizer)
    for _ in range(epochs):
        total = 0.0
        for inputs, targets in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        scheduler.step()
        plateau.step(total)


def resumed(model, criterion, optimizer, scheduler: CosineAnnealingLR, train_loader, start, epochs):
    """Moved on without training, up to where the last run stopped."""
    for _ in range(start):
        scheduler.step()
    for _ in range(start, epochs):
        for inputs, targets in train_loader:
            optimizer.zero_grad()
            criterion(model(inputs), targets).backward()
            optimizer.step()
        scheduler.step()


def generates(model, criterion, optimizer, train_loader, noise_scheduler):
    for images, steps in train_loader:
        cleaned = noise_scheduler.step(model(images, steps), steps, images)
        criterion(cleaned, images).backward()
        optimizer.step()
        optimizer.zero_grad()


def one_of_two(model, criterion, train_loader):
    first = torch.optim.SGD(model.body.parameters(), lr=0.1)
    second = torch.optim.SGD(model.head.parameters(), lr=0.1)
    schedule = CosineAnnealingLR(first, 100)
    for inputs, targets in train_loader:
        criterion(model(inputs), targets).backward()
        first.step()
        schedule.step()
        second.step()
        first.zero_grad()
        second.zero_grad()
