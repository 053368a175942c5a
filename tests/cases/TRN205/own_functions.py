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


def moved_by_options(model, optimizer, dataset, device, others):
    loader = DataLoader(dataset, 64, shuffle=True, num_workers=4, pin_memory=True)
    for images, labels in loader:
        options = {"device": device}
        images = images.to(**options)  #! TRN205
        settings = {"device": device, "non_blocking": True}
        labels = labels.to(**settings)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for images, labels in loader:
        images, labels = images.to(**others), labels.to(**others)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
