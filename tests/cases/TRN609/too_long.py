"""Schedules that never come to their end."""

import torch
from torch.optim.lr_scheduler import OneCycleLR
from transformers import get_linear_schedule_with_warmup


def one_cycle(model, criterion, train_loader, epochs, accumulation_steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=len(train_loader))  #! TRN609
    for _ in range(epochs):
        for i, (inputs, targets) in enumerate(train_loader):
            (criterion(model(inputs), targets) / accumulation_steps).backward()
            if (i + 1) % accumulation_steps == 0:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()


def warm_up(model, criterion, train_loader, epochs):
    optimizer = torch.optim.AdamW(model.parameters())
    total = epochs * len(train_loader)
    schedule = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=100, num_training_steps=total)  #! TRN609
    for _ in range(epochs):
        for i, (inputs, targets) in enumerate(train_loader):
            (criterion(model(inputs), targets) / 8).backward()
            if (i + 1) % 8 == 0:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
