"""Clippings of gradients that are used up."""

import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


def norms(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()
        clip_grad_norm_(model.parameters(), max_norm=1.0)  #! TRN608


def scaled(model, criterion, optimizer, train_loader):
    scaler = torch.amp.GradScaler("cuda")
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)  #! TRN608
        optimizer.zero_grad(set_to_none=True)


class Trainer:
    def train_step(self, batch):
        loss = self.model(batch)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if self.clip:
            clip_grad_value_(self.model.parameters(), self.clip)  #! TRN608
        return loss.detach()
