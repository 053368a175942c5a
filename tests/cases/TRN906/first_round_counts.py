"""Benchmarks that count the first round."""

import time

import torch

torch.backends.cudnn.benchmark = True


def frames(network, image):
    model = network.eval().to("cuda")
    model = torch.nn.Sequential(model)
    torch.cuda.synchronize()
    start = time.time()
    for _ in range(50):
        model(image)
    torch.cuda.synchronize()
    return (time.time() - start) / 50  #! TRN906


def compiled(network, image):
    model = torch.compile(network.to("cuda"))
    began = time.perf_counter()
    for _ in range(10):
        out = model(image)
    torch.cuda.synchronize()
    ended = time.perf_counter()  #! TRN906
    return out, ended - began
