"""A loss that is divided by the tokens of all batches."""

import torch.nn.functional as F


def train(model, optimizer, loader, accumulation_steps):
    for step, (inputs, targets, share) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = F.cross_entropy(model(inputs), targets, weight=share, reduction="sum")
        loss.backward()
        if (step + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
