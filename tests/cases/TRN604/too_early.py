"""Schedules that lose their first learning rate."""

import torch


def train_one_epoch(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()


def in_functions(model, criterion, train_loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for _ in range(epochs):
        scheduler.step()  #! TRN604
        train_one_epoch(model, criterion, optimizer, train_loader)


def scaled(model, criterion, train_loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    scaler = torch.amp.GradScaler("cuda")
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        scaler.scale(criterion(model(inputs), targets)).backward()
        scheduler.step()  #! TRN604
        scaler.step(optimizer)
        scaler.update()
