"""Outputs that are reduced, that leave the device, or that start anew."""

import torch


@torch.no_grad()
def evaluate(model, val_loader, device):
    model.eval()
    right, kept, tops = [], [], []
    for inputs, targets in val_loader:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(inputs)
        right.append((outputs.argmax(dim=1) == targets).sum())
        tops.append(outputs.argsort(1, descending=True)[:, :5])
        kept.append(outputs.cpu())
        views = []
        for flipped in (inputs, inputs.flip(-1)):
            view = model(flipped)
            views.append(view)
        right.append(torch.stack(views).mean())
    return torch.stack(right), torch.cat(kept), torch.cat(tops)


def decode(model, start, length):
    steps = []
    with torch.no_grad():
        for _ in range(length):
            start = model(start)
            steps.append(start)
    return torch.stack(steps)


def evaluate_on_host(model, val_loader):
    model.cpu().eval()
    kept = []
    with torch.no_grad():
        for inputs in val_loader:
            outputs = model(inputs).to("cpu")
            kept.append(outputs)
    return torch.cat(kept)


@torch.no_grad()
def evaluate_in_parts(model, val_loader, write, device):
    model.to(device).eval()
    part = []
    for inputs in val_loader:
        outputs = model(inputs.to(device, non_blocking=True))
        part.append(outputs)
        if len(part) == 10:
            write(part)
            part = []
