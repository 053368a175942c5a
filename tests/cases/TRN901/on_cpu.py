"""Benchmarks of which one is chosen where there is no GPU."""

import time

import torch


def seconds_on_host(model, device, count):
    inputs = torch.randn(8, 3, device=device)
    start = time.perf_counter()
    for _ in range(count):
        model(inputs)
    return time.perf_counter() - start


def seconds_on_gpu(model, device, count):
    inputs = torch.randn(8, 3, device=device)
    start = time.perf_counter()
    for _ in range(count):
        model(inputs)
    return time.perf_counter() - start  #! TRN901


def seconds_of_either(model, device, count):
    inputs = torch.randn(8, 3, device=device)
    if device == "cpu":
        start = time.perf_counter()
        for _ in range(count):
            model(inputs)
        return time.perf_counter() - start
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        model(inputs)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def main(devices):
    model = torch.nn.Linear(3, 3)
    for device in devices:
        if device == "cpu":
            measure = seconds_on_host
        else:
            measure = seconds_on_gpu
        print(device, measure(model.to(device), device, 100))


main(["cpu", "cuda"])
