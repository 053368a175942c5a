"""Clipping between the backward of a scaled loss and its step."""

import torch
from torch.nn.utils import clip_grad_value_


class Trainer:
    def __init__(self, model, optimizer, settings):
        self.model = model
        self.optimizer = optimizer
        self.settings = settings
        self.scaler = torch.amp.GradScaler("cuda", enabled=settings.amp)

    def step(self, inputs, targets):
        with torch.autocast("cuda", dtype=torch.float16, enabled=self.settings.amp):
            loss = self.model(inputs, targets)
        self.optimizer.zero_grad()
        if self.settings.amp:
            self.scaler.scale(loss).backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)  #! TRN404
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
            self.optimizer.step()


def accumulate(model, criterion, optimizer, loader, scaler, count, bound):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(inputs), targets) / count
        scaled = scaler.scale(loss)
        scaled.backward()
        if (step + 1) % count == 0:
            if bound is not None:
                clip_grad_value_(model.parameters(), bound)  #! TRN404
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


def two_parts(encoder, decoder, criterion, optimizer, loader, scaler):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(decoder(encoder(inputs)), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)  #! TRN404
        torch.nn.utils.clip_grad_norm_(decoder.parameters(), 5.0)
        scaler.step(optimizer)
        scaler.update()
