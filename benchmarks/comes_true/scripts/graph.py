"""A convolution on a made-up graph. Planted: a copy of the model in each step, and an optimizer without foreach."""

import copy
import sys

import torch
from torch import nn

planted = sys.argv[1]
torch.manual_seed(0)
neighbours = (torch.rand(300, 300) < 0.02).float()
features = torch.randn(300, 32)
layers = nn.ModuleList([nn.Linear(32, 32) for _ in range(6)])
optimizer = torch.optim.AdamW(layers.parameters(), foreach=False if planted == "one-by-one" else None)
for _ in range(100_000):
    nodes = features
    for layer in layers:
        nodes = torch.relu(layer(neighbours @ nodes / 6))
    loss = nodes.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if planted == "copies":
        kept = copy.deepcopy(layers.state_dict())
