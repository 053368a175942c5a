"""Reads without an `.item()` in sight."""

import math

import torch
import torch.nn.functional as F


def train(model, optimizer, train_loader, writer, bar, device):
    best = math.inf
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = F.cross_entropy(model(inputs), targets)
        assert torch.isfinite(loss)  #! TRN203
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if math.isnan(norm):  #! TRN203
            continue
        optimizer.step()
        writer.add_scalar("loss", loss, step)  #! TRN203
        bar.set_description(f"loss {loss:.3f}, norm {norm:.1f}")  #! TRN203
        bar.write("loss %.3f" % loss)  #! TRN203
        best = min(best, float(loss))  #! TRN203
        count = max(1, (targets != 0).sum())  #! TRN203
        print("counted", count)  #! TRN203
        if any(not torch.isfinite(p.grad).all() for p in model.parameters()):  #! TRN203
            print("a gradient is not finite")
