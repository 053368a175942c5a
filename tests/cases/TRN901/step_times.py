"""Durations of steps and of their parts, read while the device is still at work."""

import time
from timeit import default_timer

import torch


def train(model, criterion, optimizer, train_loader, logger, device):
    model = model.to(device)
    times = []
    for inputs, targets in train_loader:
        start = time.time()
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(inputs)
        forward_time = time.time() - start  #! TRN901
        loss = criterion(outputs, targets)
        began = default_timer()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        ended = default_timer()  #! TRN901
        times.append(ended - began)
        logger.record(forward_time)


def compare(baseline, candidate, batch):
    baseline, candidate = baseline.cuda(), candidate.cuda()
    seconds = []
    for network in (torch.nn.Sequential(baseline), torch.nn.Sequential(candidate)):
        start = time.perf_counter()
        for _ in range(100):
            network(batch)
        seconds.append(time.perf_counter() - start)  #! TRN901
    return seconds
