"""Copies from pinned memory, and copies of what may be pinned."""

import torch
from torch.utils.data import DataLoader


def send(values, device):
    return values.to(device, non_blocking=True)


def train(dataset, model, criterion, optimizer):
    loader = DataLoader(dataset, 32, shuffle=True, num_workers=4, pin_memory=True)
    device = torch.device("cuda")
    room = torch.empty(64, 8, pin_memory=True)
    for batch in loader:
        inputs, targets = batch["inputs"], batch["targets"]
        rows = inputs[4:].to(device, non_blocking=True)
        first = inputs[0].to(device, non_blocking=True)
        flat = inputs.view(-1).to(device, torch.float16, non_blocking=True)
        both = torch.cat([inputs, targets]).pin_memory().to(device, non_blocking=True)
        torch.cat([inputs, targets], out=room)
        joined = room.to(device, non_blocking=True)
        targets = send(targets, device)
        inputs = inputs.to(device, non_blocking=True)
        inputs = inputs.float() / 255
        inputs = inputs.to(device, non_blocking=True)
        loss = criterion(model(inputs, rows, first, flat, both, joined), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
