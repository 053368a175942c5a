"""Gradients that a function of the file clears."""

import torch


def reset_gradients(*optimizers):
    for optimizer in optimizers:
        optimizer.zero_grad()


def train(generator, critic, train_loader):
    first = torch.optim.Adam(generator.parameters(), lr=2e-4)
    second = torch.optim.Adam(critic.parameters(), lr=2e-4)
    for noise, images in train_loader:
        loss = critic(generator(noise).detach()).mean() - critic(images).mean()
        reset_gradients(first, second)
        loss.backward()
        second.step()
        loss = -critic(generator(noise)).mean()
        reset_gradients(first, second)
        loss.backward()
        first.step()
