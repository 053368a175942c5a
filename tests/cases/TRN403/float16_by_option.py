"""The file may compute in float16: no TRN403."""

import torch


def dtype(args):
    return torch.float16 if args.old_gpu else torch.bfloat16


def train(model, criterion, optimizer, loader):
    scaler = torch.amp.GradScaler("cuda")
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
