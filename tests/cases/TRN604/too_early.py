"""Schedules that lose their first learning rate."""

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR


def each_step(model, criterion, train_loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warm_up = LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 500))
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        warm_up.step()  #! TRN604
        optimizer.step()
        optimizer.zero_grad()


def each_epoch(model, criterion, train_loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, epochs)
    for _ in range(epochs):
        scheduler.step()  #! TRN604
        for inputs, targets in train_loader:
            optimizer.zero_grad()
            criterion(model(inputs), targets).backward()
            optimizer.step()


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
