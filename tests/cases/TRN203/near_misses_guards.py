"""Guards that wait seldom, on the host, or not at all."""

import math

import torch


def train(model, optimizer, scaler, loader, device):
    model = model.to(device)
    for step, (images, labels) in enumerate(loader):
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss = torch.where(torch.isfinite(loss), loss, torch.zeros_like(loss))
        if step % 100 == 0 and torch.isnan(loss):
            raise FloatingPointError
        optimizer.zero_grad()
        loss.backward()
        torch._assert_async(torch.isfinite(loss))
        value = 0.0
        if step % 100 == 0:
            value = loss.item()
        if math.isnan(value) or not math.isfinite(value):
            break
        rate = optimizer.param_groups[0]["lr"]
        if math.isinf(rate):
            break
        optimizer.step()


@torch.no_grad()
def evaluate(model, loader, device):
    bad = 0
    for images in loader:
        if torch.isnan(model(images.to(device, non_blocking=True))).any():
            bad += 1
    return bad
