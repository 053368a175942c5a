"""A GAN: the critic steps three times in a row, the generator once."""

import time

import torch
from torch import nn

generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
generator_optimizer = torch.optim.Adam(generator.parameters())
critic_optimizer = torch.optim.RMSprop(critic.parameters())
for _ in range(500):
    for _ in range(3):
        critic_optimizer.zero_grad()
        critic(generator(torch.randn(8, 4)).detach()).mean().backward()
        critic_optimizer.step()
    time.sleep(0.03)
    generator_optimizer.zero_grad()
    critic(generator(torch.randn(8, 4))).mean().backward()
    generator_optimizer.step()
