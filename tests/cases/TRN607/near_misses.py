"""Loops over parameters that compute nothing in each step, or for a reason."""

import copy
import dataclasses

import torch
from torch import nn


@dataclasses.dataclass
class Args:
    target_every: int = 500
    tau: float = 1.0


class Clipped(torch.optim.Optimizer):
    """An algorithm of its own."""

    def __init__(self, params, lr):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    norm = p.grad.norm().clamp_min(1.0)
                    p.addcdiv_(p.grad, norm, value=-group["lr"])


class Listed:
    """An average for lists of tensors, with a loop where these functions are missing."""

    def __init__(self, model):
        self.copy = copy.deepcopy(model)

    @torch.no_grad()
    def update(self, model):
        if hasattr(torch, "_foreach_lerp_"):
            torch._foreach_lerp_(list(self.copy.parameters()), list(model.parameters()), 0.01)
        else:
            for slow, fast in zip(self.copy.parameters(), model.parameters()):
                slow.lerp_(fast, 0.01)


class OnTheHost:
    """An average in the host's memory."""

    def __init__(self, model):
        self.copy = copy.deepcopy(model).cpu()

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.copy.parameters(), model.parameters()):
            slow.mul_(0.99).add_(fast.detach().to("cpu"), alpha=0.01)  #! TRN202


def initialise(model):
    for p in model.parameters():
        p.data.mul_(0.02).add_(0.0)


def freeze(model):
    for p in model.parameters():
        p.requires_grad_(False)


def train(args: Args, model, target, criterion, optimizer, train_loader):
    initialise(model)
    freeze(target)
    listed, hosted = Listed(model), OnTheHost(model)
    clipped = Clipped(model.parameters(), 0.1)
    for step, (inputs, labels) in enumerate(train_loader):
        loss = criterion(model(inputs), labels)
        for p in model.parameters():
            p.grad = None
        loss.backward()
        count = 0
        for p in model.parameters():
            count += p.numel()
        for p in model.parameters():
            p.data.clamp_(-0.01, 0.01)
        optimizer.step()
        clipped.step()
        listed.update(model)
        hosted.update(model)
        if step % args.target_every == 0:
            for slow, fast in zip(target.parameters(), model.parameters()):
                slow.data.copy_(args.tau * fast.data + (1 - args.tau) * slow.data)
        if step % 1000 == 0:
            for slow, fast in zip(target.parameters(), model.parameters()):
                slow.data.lerp_(fast.data, 0.5)
        for slow, flat in zip(target.parameters(), torch.zeros(80).split(8)):
            slow.data.copy_(flat)  # unpacked from one tensor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
