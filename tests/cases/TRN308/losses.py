"""The published mistake, and its longer spelling."""

import torch


def accumulate(model, criterion, optimizer, loader, count):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        loss += loss / count  #! TRN308
        loss.backward()
        if (step + 1) % count == 0:
            optimizer.step()
            optimizer.zero_grad()


class Trainer:
    def __init__(self, model, optimizer, scaler, settings):
        self.model = model
        self.optimizer = optimizer
        self.scaler = scaler
        self.settings = settings

    def step(self, number, inputs, targets):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = self.model(inputs, targets)
        loss = loss + loss / self.settings.accumulate  #! TRN308
        self.scaler.scale(loss).backward()
        if (number + 1) % self.settings.accumulate == 0:
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad()
