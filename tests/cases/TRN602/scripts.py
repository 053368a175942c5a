"""A script on CUDA whose optimizers run by default."""

import torch
from torch import nn, optim

from project import Critic, Generator, train_loader

device = torch.device("cuda")
generator, critic = Generator().to(device), Critic().to(device)
generator_optimizer = optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))  #! TRN602
critic_optimizer = torch.optim.SGD(critic.parameters(), lr=1e-3, momentum=0.9)  #! TRN602
loss_function = nn.BCEWithLogitsLoss()

for noise, images in train_loader:
    noise, images = noise.to(device, non_blocking=True), images.to(device, non_blocking=True)
    made = generator(noise)
    critic_optimizer.zero_grad()
    loss = loss_function(critic(made.detach()), torch.zeros(len(made), 1, device=device))
    loss.backward()
    critic_optimizer.step()
    generator_optimizer.zero_grad()
    loss = loss_function(critic(made), torch.ones(len(made), 1, device=device))
    loss.backward()
    generator_optimizer.step()
