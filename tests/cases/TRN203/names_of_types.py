"""`x.type()` without an argument is text; with one it is a tensor."""

import torch
import torch.nn.functional as F


def train(model, optimizer, train_loader, device):
    for values, targets in train_loader:
        values = values.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        logits = model(values)
        assert logits.type() == values.type()
        kind = logits.type()
        if kind != targets.type():
            continue
        if type(logits) is not type(values):
            continue
        loss = F.cross_entropy(logits, targets)
        if loss.type(torch.float32) == 0:  #! TRN203
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
