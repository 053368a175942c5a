"""Scalers that are off where they are not needed."""

import torch


def chosen(model, criterion, optimizer, loader, dtype):
    scaler = torch.amp.GradScaler("cuda", enabled=dtype != torch.bfloat16)
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def made_on_demand(model, criterion, optimizer, loader, scale):
    scaler = torch.amp.GradScaler("cuda") if scale else None
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        if scaler is None:
            loss.backward()
            optimizer.step()
        else:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
