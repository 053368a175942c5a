"""Checkpoints in each step; a test on the rank is no interval."""

import torch


def train(model, optimizer, loader, device):
    model = model.to(device)
    for batch in loader:
        loss = model(batch.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.save(model.state_dict(), "latest.pt")  #! TRN313
