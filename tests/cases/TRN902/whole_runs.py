"""Recorders around whole epochs."""

import torch
from torch.autograd import profiler


def train(model, criterion, optimizer, loader, epochs):
    with torch.autograd.profiler.emit_nvtx():  #! TRN902
        for _ in range(epochs):
            for inputs, targets in loader:
                inputs = inputs.cuda(non_blocking=True)
                loss = criterion(model(inputs), targets.cuda(non_blocking=True))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


def epoch(model, optimizer, train_loader):
    with profiler.profile(record_shapes=True, with_stack=True) as trace:  #! TRN902
        for inputs in train_loader:
            loss = model(inputs.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(trace.key_averages())
