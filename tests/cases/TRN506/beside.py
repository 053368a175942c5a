"""Collectives that hold up a model which does not need them."""

import torch
import torch.distributed as dist


def train(model, criterion, optimizer, loader):
    for images, labels in loader:
        count = torch.full((), len(images), device="cuda")
        dist.all_reduce(count)  #! TRN506
        output = model(images)
        loss = criterion(output, labels) / count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def of_losses(model, criterion, optimizer, loader):
    for images, labels in loader:
        loss = criterion(model(images), labels)
        shown = loss.detach().clone()
        dist.all_reduce(shown)  #! TRN506
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
