"""Tensors that are made once, on the device, on the host, or of more than a number."""

import torch


def train(model, optimizer, loader, device, weights, history):
    model = model.to(device)
    least = torch.tensor([1], device=device, dtype=torch.float32)
    cached = None
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        if cached is None:
            cached = torch.tensor(0.5, device=device)
        if step % 100 == 0:
            history.append(torch.tensor(step, device=device))
        scale = torch.full((), 0.5, device=device)
        zero = torch.zeros((), device=device)
        seed = torch.tensor(3)
        loss = (model(inputs) - targets).abs().sum() / least * scale + zero * cached
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        assert seed.dim() == 0
