"""Batches that leave pinned memory on their way to the device."""

import torch
from torch.utils.data import DataLoader


def widen(values):
    return torch.cat([values, values.flip(0)])


def send(values, device):
    return values.to(device, non_blocking=True)  #! TRN219


def train(dataset, model, criterion, optimizer):
    loader = DataLoader(dataset, 32, shuffle=True, num_workers=4, pin_memory=True)
    device = torch.device("cuda")
    held = torch.empty(32, 8, device=device)
    for inputs, targets, index, extra in loader:
        index = index.long()
        index = index.cuda(non_blocking=True)  #! TRN219
        targets = targets.to(torch.int64).cuda(non_blocking=True)  #! TRN219
        scaled = inputs / 255
        scaled = scaled.unsqueeze(1).to(device, non_blocking=True)  #! TRN219
        kept = extra[extra > 0].to(device, non_blocking=True)  #! TRN219
        later = extra[:, 1:].to(device, non_blocking=True)  #! TRN219
        both = torch.cat([inputs, extra])
        both = both.to(device, non_blocking=True)  #! TRN219
        wide = widen(inputs)
        wide = wide.to(device, non_blocking=True)  #! TRN219
        sent = send(torch.stack([inputs, extra]), device)
        noise = torch.randn(32, 8)
        held.copy_(noise, non_blocking=True)  #! TRN219
        loss = criterion(model(scaled, index, kept, later, both, wide, sent, held), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
