"""Schedules that are as long as they step."""

import math

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR, StepLR


def divided(model, criterion, train_loader, epochs, accumulation_steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = math.ceil(len(train_loader) / accumulation_steps)
    schedule = OneCycleLR(optimizer, max_lr=0.1, total_steps=epochs * steps)
    for _ in range(epochs):
        for i, (inputs, targets) in enumerate(train_loader):
            (criterion(model(inputs), targets) / accumulation_steps).backward()
            if (i + 1) % accumulation_steps == 0:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()


def with_each_batch(model, criterion, train_loader, accumulation_steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = CosineAnnealingLR(optimizer, T_max=len(train_loader))
    for i, (inputs, targets) in enumerate(train_loader):
        (criterion(model(inputs), targets) / accumulation_steps).backward()
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
        schedule.step()


def without_accumulation(model, criterion, train_loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = CosineAnnealingLR(optimizer, T_max=len(train_loader))
    for inputs, targets in train_loader:
        criterion(model(inputs), targets).backward()
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()


def of_fixed_length(model, criterion, train_loader, total, accumulation_steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    cosine = CosineAnnealingLR(optimizer, T_max=total)
    stairs = StepLR(optimizer, 1000)
    for i, (inputs, targets) in enumerate(train_loader):
        (criterion(model(inputs), targets) / accumulation_steps).backward()
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            cosine.step()
            stairs.step()
            optimizer.zero_grad()


def once_an_epoch(model, criterion, train_loader, epochs, accumulation_steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = CosineAnnealingLR(optimizer, T_max=epochs)
    for _ in range(epochs):
        for i, (inputs, targets) in enumerate(train_loader):
            (criterion(model(inputs), targets) / accumulation_steps).backward()
            if (i + 1) % accumulation_steps == 0:
                optimizer.step()
                optimizer.zero_grad()
        schedule.step()
