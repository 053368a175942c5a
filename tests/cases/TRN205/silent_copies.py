"""Copies of batches that are no `.to(...)`: into a tensor of the device, by `as_tensor`, and cut from a corpus."""

import torch
from torch.utils.data import DataLoader


def to_torch(xs, device):
    return tuple(torch.as_tensor(x, device=device) for x in xs)  #! TRN205


def train(dataset, model, optimizer, criterion):
    loader = DataLoader(dataset, 32, num_workers=4, pin_memory=True)
    device = torch.device("cuda")
    model = model.to(device)
    held = torch.empty(32, 3, 8, 8, device=device)
    for inputs, targets in loader:
        held.copy_(inputs)  #! TRN205
        targets = torch.as_tensor(targets, device=device)
        loss = criterion(model(held), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for batch in loader:
        inputs, targets = to_torch(batch, device)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def language(corpus, model, optimizer, criterion, length):
    device = torch.device("cuda")
    model = model.to(device)
    ids = torch.LongTensor(corpus).view(20, -1)
    for i in range(0, ids.size(1) - length, length):
        inputs = ids[:, i : i + length].to(device)  #! TRN207
        targets = ids[:, i + 1 : i + 1 + length].to(device)  #! TRN207
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def near_misses(dataset, corpus, model, optimizer, criterion, length):
    loader = DataLoader(dataset, 32, num_workers=4, pin_memory=True)
    device = torch.device("cuda")
    model = model.to(device)
    held = torch.empty(32, 3, 8, 8, device=device)
    kept = torch.empty(32, 3, 8, 8)
    ids = torch.LongTensor(corpus).view(20, -1).to(device)
    for step, (inputs, targets) in enumerate(loader):
        held.copy_(inputs, non_blocking=True)
        kept.copy_(inputs)
        targets = torch.as_tensor(targets).to(device, non_blocking=True)
        more = ids[:, step : step + length].to(device)
        loss = criterion(model(held), targets) + more.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return kept
