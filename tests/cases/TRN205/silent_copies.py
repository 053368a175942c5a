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
