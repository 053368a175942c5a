"""Accelerate's `backward` calls that of the loss, under whatever context stands around it."""

import torch
from accelerate import Accelerator


class Trainer:
    def __init__(self, model, optimizer, loader):
        self.accelerator = Accelerator(mixed_precision="bf16")
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def train(self):
        for batch in self.loader:
            with self.accelerator.autocast():
                loss = self.model(batch)
                self.accelerator.backward(loss)  #! TRN405
            self.optimizer.step()
            self.optimizer.zero_grad()


def train(accelerator, model, criterion, optimizer, loader):
    for inputs, targets in loader:
        with accelerator.accumulate(model), accelerator.autocast():
            loss = criterion(model(inputs), targets)
            if torch.is_grad_enabled():
                accelerator.backward(loss)  #! TRN405
        optimizer.step()
        optimizer.zero_grad()
