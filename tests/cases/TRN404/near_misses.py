"""Clipping of gradients that are not scaled, or no longer."""

import torch


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


def masters(amp, model, criterion, optimizer, loader, scaler):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
        scaler.step(optimizer)
