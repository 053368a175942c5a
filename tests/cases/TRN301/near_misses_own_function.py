"""A function of that name, whose calls are judged, not its body."""

import torch


def empty_cache(device):
    if device.type == "xpu":
        torch.xpu.empty_cache()
    elif device.type == "mps":
        torch.mps.empty_cache()


def train(model, optimizer, train_loader, device):
    for images in train_loader:
        loss = model(images.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        empty_cache(device)
