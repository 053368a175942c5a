"""Fills gradients with zeros in each step; the first argument says for how many milliseconds a step sleeps besides."""

import sys
import time

import torch

weights = torch.nn.Parameter(torch.ones(4_000_000))
optimizer = torch.optim.SGD([weights], lr=0.01)
for _ in range(300):
    optimizer.zero_grad(set_to_none=False)
    weights.mean().backward()
    optimizer.step()
    time.sleep(float(sys.argv[1]) / 1000)
