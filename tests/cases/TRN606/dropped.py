"""Gradients that no step ever sees."""

import torch
from torch import nn


def clears_too_late(model, criterion, train_loader):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.zero_grad(set_to_none=True)  #! TRN606
        optimizer.step()


def clears_scaled(model, criterion, optimizer, train_loader):
    scaler = torch.amp.GradScaler("cuda")
    for inputs, targets in train_loader:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(inputs), targets)
        scaler.scale(loss).backward()
        optimizer.zero_grad()  #! TRN606
        scaler.step(optimizer)
        scaler.update()


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def training_step(self, batch):
        loss = self.model(**batch).loss
        loss.backward()
        self.optimizer.zero_grad()  #! TRN606
        self.optimizer.step()
        return loss.detach()
