"""Differentiates gradients, as critics with a gradient penalty do, and has a recurrent layer."""

import torch
from torch import nn

recurrent, critic = nn.LSTM(8, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*recurrent.parameters(), *critic.parameters()])
for _ in range(100):
    inputs = torch.randn(4, 8, requires_grad=True)
    scores = critic(inputs)
    (slope,) = torch.autograd.grad(scores.sum(), inputs, create_graph=True)
    hidden, _ = recurrent(torch.randn(3, 4, 8))
    optimizer.zero_grad()
    ((slope.norm(dim=1) - 1).square().mean() + hidden.square().mean()).backward()
    optimizer.step()
