"""Loaders that nothing waits for: experience that lies ready, made-up rows, and loops that run no model."""

import torch
from torch.utils.data import DataLoader, IterableDataset, Subset

from .corpora import WikiText2
from .rows import build_rows


class Noise(IterableDataset):
    def __init__(self, width, count):
        self.width, self.count = width, count

    def __iter__(self):
        for _ in range(self.count):
            yield torch.randn(self.width)


class Played(IterableDataset):
    """What the agent did while it acted; a worker would have an agent of its own."""

    def __init__(self, buffer, length):
        self.buffer, self.length = buffer, length

    def __iter__(self):
        states, actions = self.buffer.draw(self.length)
        yield from zip(states, actions, strict=True)


class ExperienceSource(IterableDataset):
    def __init__(self, act):
        self.act = act

    def __iter__(self):
        return self.act()


def loaders(agent):
    noise = DataLoader(Noise(32, 512), batch_size=8, pin_memory=True)
    played = DataLoader(Played(agent.buffer, 200), batch_size=16, pin_memory=True)
    acted = DataLoader(ExperienceSource(agent.act), batch_size=16, pin_memory=True)
    tokens = DataLoader(Subset(WikiText2(), range(1000)), batch_size=20, pin_memory=True)
    return noise, played, acted, tokens


def train(model, criterion, optimizer, args):
    train_loader, eval_loader = loaders_of(args)
    for inputs, targets in train_loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return evaluate(model, eval_loader)


def loaders_of(args):
    rows, held_out = build_rows(args, "train"), build_rows(args, "valid")
    train_loader = DataLoader(rows, batch_size=8, num_workers=args.workers, pin_memory=True)
    eval_loader = DataLoader(held_out, batch_size=8, pin_memory=True)
    return train_loader, eval_loader


@torch.no_grad()
def evaluate(model, eval_loader):
    model.eval()
    correct = torch.zeros((), device="cuda")
    for inputs, targets in eval_loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        correct += (model(inputs).argmax(dim=1) == targets).sum()
    return correct.item()
