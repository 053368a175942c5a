"""A generator and a discriminator, each with an optimizer of its own, and a penalty on gradients."""

import sys

import torch
from torch import nn

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, NOISE, WIDTH = 44, 8 * SIZE, 8, 32 * SIZE
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)

generator = nn.Sequential(nn.Linear(NOISE, WIDTH), nn.LeakyReLU(0.2), nn.Linear(WIDTH, 64), nn.Tanh()).to(device)
critic = nn.Sequential(nn.Linear(64, WIDTH), nn.LeakyReLU(0.2), nn.Linear(WIDTH, 1)).to(device)
of_generator = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
of_critic = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
pictures = torch.randn(STEPS, BATCH, 64)
losses = []


def penalty(real, fake):
    share = torch.rand(len(real), 1, device=device)
    mixed = (share * real + (1 - share) * fake).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    return (gradient.norm(2, dim=1) - 1).square().mean()


for step in range(STEPS):
    real = pictures[step].cuda() if device.type == "cuda" else pictures[step]  # copy to device 1/step
    noise = torch.randn(BATCH, NOISE).to(device)  # copy to device 1/step
    ones, zeros = torch.ones(BATCH, 1, device=device), torch.zeros(BATCH, 1, device=device)
    fake = generator(noise)

    of_critic.zero_grad()
    of_real, of_fake = criterion(critic(real), ones), criterion(critic(fake.detach()), zeros)
    loss_critic = of_real + of_fake + 0.1 * penalty(real, fake.detach())
    loss_critic.backward()
    of_critic.step()
    mean_real = critic(real).mean().item()  # wait 1/step

    of_generator.zero_grad()
    loss = criterion(critic(fake), ones)
    loss.backward()
    of_generator.step()
    losses.append(loss.detach())

    if loss_critic < 0.01:  # wait 1/step
        break
    best = max(of_real, of_fake)  # wait 1/step
    if step % 2 == 1:
        print(f"{step} {mean_real:.3f} {loss_critic.item():.3f} {best:.3f}")  # wait 2/2 steps
