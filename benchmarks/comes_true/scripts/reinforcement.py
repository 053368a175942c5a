"""A policy gradient on a made-up game. Planted: a checkpoint in each step, and gradients that are filled with zeros."""

import sys

import torch
from torch import nn

planted = sys.argv[1]
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(16, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 4))
optimizer = torch.optim.Adam(policy.parameters())
for _ in range(100_000):
    states = torch.randn(64, 16)
    chosen = torch.distributions.Categorical(logits=policy(states))
    actions = chosen.sample()
    loss = -(chosen.log_prob(actions) * (actions == 0)).mean()
    optimizer.zero_grad(set_to_none=planted != "zeros")
    loss.backward()
    optimizer.step()
    if planted == "saves":
        torch.save(policy.state_dict(), "policy.pt")
