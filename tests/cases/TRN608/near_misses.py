"""Clippings of gradients that are still to be used."""

import torch
from torch.nn.utils import clip_grad_norm_


def in_time(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def two_networks(actor, critic, actor_optimizer, critic_optimizer, replay):
    for batch in replay:
        loss = critic(batch).square().mean()
        critic_optimizer.zero_grad()
        loss.backward()
        critic_optimizer.step()
        loss = -critic(actor(batch)).mean()
        actor_optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(actor.parameters(), 1.0)
        actor_optimizer.step()


def two_optimizers(model, criterion, sparse_optimizer, optimizer, train_loader):
    for inputs, targets in train_loader:
        criterion(model(inputs), targets).backward()
        sparse_optimizer.step()
        clip_grad_norm_(model.body.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        sparse_optimizer.zero_grad()


def around_the_corner(model, criterion, optimizer, train_loader):
    """The step is that of the round before."""
    for inputs, targets in train_loader:
        optimizer.step()
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        clip_grad_norm_(model.parameters(), 1.0)


def only_measured(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()
        print(torch.nn.utils.get_total_norm(p.grad for p in model.parameters()))
