"""Without a type, autocast on CUDA computes in the type that a scaler is for."""

import torch


def train(model, teacher, criterion, optimizer, loader):
    scaler = torch.amp.GradScaler("cuda")
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
            wanted = teacher(inputs)
        with torch.autocast("cuda"):
            loss = criterion(model(inputs), targets, wanted)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
