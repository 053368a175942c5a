"""What an attribute holds is what was stored there last, not what its owner is."""

import torch


def spread(rows):
    return rows.std().mean().item()  #! TRN201


def train(model, criterion, optimizer, loader, device):
    kept, scales, means, last = [], [], [], []
    for inputs, targets in loader:
        inputs = inputs.to(device, non_blocking=True)
        outputs = model(inputs)
        loss = criterion(outputs, targets.to(device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        outputs.scale = inputs.std().item()  #! TRN201
        scales.append(outputs.scale)
        outputs.head.mean = spread(inputs)
        means.append(outputs.head.mean)
        outputs.seen = 1.0
        outputs.seen = model(inputs)
        last.append(outputs.seen)  #! TRN315
        kept.append(outputs)  #! TRN315
    return kept, scales, means, last
