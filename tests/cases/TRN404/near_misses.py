"""Clipping of gradients that are not scaled, or no longer."""

import torch
from accelerate import Accelerator


def unscaled(model, criterion, optimizer, loader, scaler, bound):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        if bound > 0:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), bound)
        scaler.step(optimizer)
        scaler.update()


def either(model, criterion, optimizer, loader, scaler=None):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        if scaler is not None:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if scaler is None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()


def by_framework(accelerator: Accelerator, model, criterion, optimizer, loader, scaler):
    for inputs, targets in loader:
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)


def masters(amp, model, criterion, optimizer, loader, scaler):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
        scaler.step(optimizer)


class Scaler:
    def __init__(self, scaler):
        self._scaler = scaler

    def __call__(self, loss, optimizer, bound=None, parameters=None, update=True):
        self._scaler.scale(loss).backward()
        if not update:
            return None
        self._unscale(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(parameters, bound) if bound else None
        self._scaler.step(optimizer)
        self._scaler.update()
        return norm

    def _unscale(self, optimizer):
        self._scaler.unscale_(optimizer)


def in_full_precision(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
