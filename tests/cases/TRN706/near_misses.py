"""Compiled code that stays whole, and code that is not compiled."""

import torch
from torch import nn


@torch.compile(fullgraph=True)
def whole(x, steps):
    count = steps.item()
    return x * count


@torch.compile
def shapes(x, names):
    if x.shape[0] > 4 and len(names) > 2:
        x = x[:4]
    return x * float(x.size(0))


@torch.compile
def tells(x):
    if not torch.compiler.is_compiling():
        print(x.shape)
    return shown(x * 2)


@torch.compiler.disable
def shown(x):
    print(x.mean())
    return x


def not_compiled(x):
    print(x.sum().item())
    return tells(x)


class Network(nn.Module):
    def forward(self, x):
        return torch.relu(x)

    def describe(self, x):
        print(self(x).mean().item())


def build():
    return torch.compile(Network())


@torch.compile
def normalised(loss, mask, normalise):
    if not normalise:
        return loss.sum()
    count = mask.sum()
    if count == 0:
        return loss.sum() * 0
    return loss.sum() / count.cuda()
