"""Gradients that are cleared at the right place."""

import torch


def plain(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()


def behind_the_step(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        criterion(model(inputs), targets).backward()
        optimizer.step()
        optimizer.zero_grad()


def two_networks(generator, critic, generator_optimizer, critic_optimizer, train_loader):
    """The generator's backward leaves gradients in the critic that must go."""
    for noise, images in train_loader:
        generator_optimizer.zero_grad()
        generator_loss = -critic(generator(noise)).mean()
        generator_loss.backward()
        generator_optimizer.step()
        critic_optimizer.zero_grad()
        critic_loss = critic(generator(noise).detach()).mean() - critic(images).mean()
        critic_loss.backward()
        critic_optimizer.step()


def other_one_is_cleared(generator, critic, generator_optimizer, critic_optimizer, train_loader):
    for noise, _ in train_loader:
        loss = -critic(generator(noise)).mean()
        loss.backward()
        critic_optimizer.zero_grad()
        generator_optimizer.step()
        generator_optimizer.zero_grad()


def sharpness_aware(model, criterion, optimizer, train_loader):
    """Two backward passes for a step; the first one finds out where to look."""
    for inputs, targets in train_loader:
        criterion(model(inputs), targets).backward()
        optimizer.ascend()
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()


def accumulates(model, criterion, optimizer, train_loader, accumulate):
    for i, (inputs, targets) in enumerate(train_loader):
        (criterion(model(inputs), targets) / accumulate).backward()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()


def skips_what_overflowed(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        loss.backward()
        if not torch.isfinite(loss):  #! TRN203
            optimizer.zero_grad()
            continue
        optimizer.step()
        optimizer.zero_grad()


def with_a_closure(model, criterion, train_loader):
    optimizer = torch.optim.LBFGS(model.parameters())
    for inputs, targets in train_loader:

        def closure():
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            return loss

        optimizer.step(closure)
