"""Backward passes under a context for the forward."""

import functools

import torch
from torch.cuda.amp import GradScaler, autocast  #! TRN801


class Trainer:
    def __init__(self, model, optimizer, half):
        self.model = model
        self.optimizer = optimizer
        self.context = functools.partial(torch.autocast, "cuda", dtype=torch.bfloat16, enabled=half)

    def step(self, inputs, targets):
        self.optimizer.zero_grad()
        with self.context():
            loss = self.model(inputs, targets)
            loss.backward()  #! TRN405
        self.optimizer.step()


def train(model, criterion, optimizer, loader):
    scaler = GradScaler()
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        optimizer.zero_grad()
        with autocast():
            loss = criterion(model(inputs), targets)
            scaler.scale(loss).backward()  #! TRN405
            scaler.step(optimizer)
            scaler.update()


def whole_epochs(model, criterion, optimizer, loader, epochs):
    with torch.amp.autocast("cuda", dtype=torch.bfloat16):
        for _ in range(epochs):
            for inputs, targets in loader:
                inputs = inputs.cuda(non_blocking=True)
                targets = targets.cuda(non_blocking=True)
                optimizer.zero_grad()
                criterion(model(inputs), targets).backward()  #! TRN405
                optimizer.step()
