"""A generator and its critic. Planted: garbage collections, and an evaluation that autograd records."""

import contextlib
import gc
import sys

import torch
from torch import nn

planted = sys.argv[1]
torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 64))
critic = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 1))
judge = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 1)).eval()
of_generator = torch.optim.Adam(generator.parameters())
of_critic = torch.optim.Adam(critic.parameters())
for _ in range(100_000):
    made = generator(torch.randn(32, 16))
    of_critic.zero_grad()
    (critic(made.detach()).mean() - critic(torch.randn(32, 64)).mean()).backward()
    of_critic.step()
    of_generator.zero_grad()
    (-critic(made).mean()).backward()
    of_generator.step()
    with contextlib.nullcontext() if planted == "records" else torch.no_grad():
        score = judge(made.detach()).mean()
    if planted == "collects":
        gc.collect()
