"""Checkpoints every few steps."""

import torch

SAVE_EVERY = 50
WARMUP = 1000


def train(model, criterion, optimizer, loader, device):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.save(model.state_dict(), "last.pt")  #! TRN534
        if (step + 1) % SAVE_EVERY == 0:
            state = {"model": model.state_dict(), "step": step}
            torch.save(state, f"step_{step}.pt")  #! TRN534
        if step % 10 == 0 and step > WARMUP:
            torch.save(model.state_dict(), "late.pt")  #! TRN534
