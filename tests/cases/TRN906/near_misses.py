"""Benchmarks that run a round before, or that have nothing to warm up."""

import time

import torch


def runs_before(network, image):
    model = torch.compile(network.to("cuda"))
    model(image)
    torch.cuda.synchronize()
    start = time.time()
    for _ in range(50):
        model(image)
    torch.cuda.synchronize()
    return (time.time() - start) / 50


def leaves_rounds_out(network, image, warmup=5):
    model = torch.compile(network.to("cuda"))
    total = 0.0
    for i in range(50):
        torch.cuda.synchronize()
        start = time.time()
        model(image)
        torch.cuda.synchronize()
        if i >= warmup:
            total += time.time() - start
    return total


def nothing_to_compile(network, image):
    model = torch.nn.Sequential(network).to("cuda")
    start = time.time()
    for _ in range(50):
        model(image)
    torch.cuda.synchronize()
    return (time.time() - start) / 50


def whole_training(network, loader, optimizer):
    model = torch.compile(network.to("cuda"))
    start = time.time()
    for batch in loader:
        loss = model(batch.to("cuda", non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return time.time() - start
