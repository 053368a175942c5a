"""Collectives whose result is needed at once, or that run beside others already."""

import torch
import torch.distributed as dist


def needed_at_once(model, criterion, optimizer, loader):
    for images, labels in loader:
        output = model(images)
        count = torch.full((), len(images), device="cuda")
        dist.all_reduce(count)
        loss = criterion(output, labels) / count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def asynchronous(model, criterion, optimizer, loader):
    for images, labels in loader:
        count = torch.full((), len(images), device="cuda")
        work = dist.all_reduce(count, async_op=True)
        output = model(images)
        work.wait()
        loss = criterion(output, labels) / count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def input_of_the_model(model, criterion, optimizer, loader):
    for images, labels in loader:
        dist.broadcast(images, src=0)
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def at_the_end(model, criterion, optimizer, loader):
    for images, labels in loader:
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    total = loss.detach()
    dist.all_reduce(total)
    return total


def beside_the_model(model, criterion, optimizer, loader):
    for images, labels in loader:
        count = torch.full((), len(images), device="cuda")
        dist.all_reduce(count, async_op=True)
        output = model(images)
        loss = criterion(output, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
