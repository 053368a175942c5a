"""Functions of the project that are called like PyTorch's methods copy nothing that is known, and break no rule."""

import torch.nn.functional as F

from shop.devices import copy_, cuda, to


def train(model, optimizer, train_loader, device):
    for pictures, labels in train_loader:
        pictures = to(pictures, device)
        held = cuda(labels)
        copy_(held, labels)
        labels = labels.to(device)  #! TRN205
        loss = F.cross_entropy(model(pictures), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_with_parameter(model, optimizer, train_loader, device, to):
    for pictures, labels in train_loader:
        pictures, labels = to(device), labels.to(device)  #! TRN205
        loss = F.cross_entropy(model(pictures), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def to_all(model, batches, device):
    def cuda():
        return model

    return [cuda(), *(batch.to(device, non_blocking=True) for batch in batches)]
