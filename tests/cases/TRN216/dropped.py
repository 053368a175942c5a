"""Moves whose result nobody takes."""

import numpy as np
import torch


def prepare(image, device):
    tensor = torch.as_tensor(np.asarray(image, dtype="float32"))
    tensor.to(device)  #! TRN216
    mask = torch.zeros(3)
    mask.cuda()  #! TRN216
    return tensor, mask


def train(model, optimizer, loader, device):
    model.to(device)
    for _, (inputs, targets) in enumerate(loader):
        inputs.to(device)  #! TRN216
        targets.to(device)  #! TRN216
        loss = (model(inputs) - targets).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
