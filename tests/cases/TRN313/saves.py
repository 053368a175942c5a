"""Checkpoints in each step; a test on the rank is no interval."""

import torch
import torch.distributed as dist


def train(model, optimizer, loader, device):
    model = model.to(device)
    for batch in loader:
        loss = model(batch.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.save(model.state_dict(), "latest.pt")  #! TRN313


def train_on_ranks(model, optimizer, loader, device):
    model = model.to(device)
    for batch in loader:
        loss = model(batch.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if dist.get_rank() == 0:
            torch.save({"model": model.state_dict()}, "latest.pt")  #! TRN313
