"""A state dict that is copied, copies that are not waited for, and reads that the callers decide about."""

import torch


def train(model, optimizer, loader, device, buffers):
    for images, labels in loader:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept = {name: value.to("cpu") for name, value in model.state_dict().items()}  #! TRN202
        for name, parameter in model.named_parameters():
            buffers[name] = parameter.grad.to("cpu", non_blocking=True)
        buffers.update(kept)
