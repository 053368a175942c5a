"""Outputs of a whole evaluation in device memory."""

import torch


@torch.no_grad()
def embed(model, loader, device):
    model.eval()
    rows, names = [], []
    for images, name in loader:
        features = model(images.to(device, non_blocking=True))
        rows.append(torch.nn.functional.normalize(features, dim=-1))  #! TRN311
        names.append(name)
    return torch.cat(rows), names


def collect(model, val_loader, device):
    model.eval()
    logits = []
    with torch.inference_mode():
        for inputs, _ in val_loader:
            inputs = inputs.to(device, non_blocking=True)
            outputs = model(inputs)
            logits.append(outputs)  #! TRN311
    return torch.cat(logits)
