"""A scaler beside bfloat16."""

import torch


def train(model, criterion, optimizer, loader, epochs):
    scaler = torch.amp.GradScaler("cuda", init_scale=2.0**12)  #! TRN403
    for _ in range(epochs):
        for inputs, targets in loader:
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            with torch.amp.autocast(device_type="cuda", dtype=torch.bfloat16):
                loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
