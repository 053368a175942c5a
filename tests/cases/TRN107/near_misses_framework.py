"""Loaders with a sampler, those of a framework, and a loop whose way in is out of sight."""

import torch
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, WeightedRandomSampler
from torchvision.datasets import ImageFolder


def weighted(model, criterion, optimizer, weights):
    model = DistributedDataParallel(model)
    sampler = WeightedRandomSampler(weights, 4096)
    loader = DataLoader(ImageFolder("train"), 64, sampler=sampler, num_workers=8, pin_memory=True)
    for inputs, targets in loader:
        loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def prepared_by_accelerate(model, criterion, optimizer):
    accelerator = Accelerator()
    model = DistributedDataParallel(model)
    loader = DataLoader(ImageFolder("train"), 64, shuffle=True, num_workers=8, pin_memory=True)
    model, loader = accelerator.prepare(model, loader)
    for inputs, targets in loader:
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()


def backward_by_accelerate(model, criterion, optimizer):
    accelerator = Accelerator()
    model = DistributedDataParallel(model)
    loader = DataLoader(ImageFolder("train"), 64, shuffle=True, num_workers=8, pin_memory=True)
    for inputs, targets in loader:
        loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()


if __name__ == "__main__":
    backward_by_accelerate(*torch.load("run.pt", weights_only=True))
    weighted(*torch.load("run.pt", weights_only=True))
    prepared_by_accelerate(*torch.load("run.pt", weights_only=True))
