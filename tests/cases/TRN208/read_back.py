"""Numbers that are uploaded beside other waits, and numbers that were read before."""

import torch
import torch.distributed as dist


def train(model, criterion, optimizer, loader, device, steps, width: float | list[float]):
    model = model.to(device)
    for inputs, targets in loader:
        widths = torch.tensor(width, device=device)  #! TRN207
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        count = torch.tensor(len(inputs), device=device)  #! TRN208
        if dist.is_initialized():
            dist.all_reduce(count)
        total = count.item()  #! TRN201
        masked = int((targets > 0).sum())  #! TRN203
        share = torch.tensor(masked, device=device)  #! TRN208
        loss = criterion(model(inputs), targets) / total * share + widths.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for step in steps:
            cap = torch.tensor(0.99, dtype=step.dtype, device=step.device)  #! TRN208
            step.copy_(torch.minimum(cap, step))
