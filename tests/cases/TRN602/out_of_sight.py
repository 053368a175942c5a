"""Whoever calls the function may have chosen an implementation: no TRN602."""

import torch

from project import criterion, model, train_loader


def fine_tune():
    cuda_model = model.cuda()
    optimizer = torch.optim.AdamW(cuda_model.parameters(), lr=1e-4)
    for inputs, targets in train_loader:
        inputs, targets = inputs.cuda(non_blocking=True), targets.cuda(non_blocking=True)
        loss = criterion(cuda_model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
