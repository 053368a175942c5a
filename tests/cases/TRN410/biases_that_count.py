"""No bias, something in between, an output that goes elsewhere too, other norms, and options."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


class Block(nn.Module):
    def __init__(self, width, use_bias):
        super().__init__()
        self.shared = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)
        self.conv = nn.Conv2d(width, width, 3)
        self.maybe = nn.BatchNorm2d(width) if use_bias else nn.Identity()
        self.first = nn.Linear(width, width)
        self.last = nn.BatchNorm1d(width)

    def forward(self, x):
        y = self.norm(self.shared(x)) + self.shared(x)
        y = self.last(torch.relu(self.first(y)))
        return self.maybe(self.conv(y))


def make(width, use_bias):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, bias=False),
        nn.BatchNorm2d(width),
        nn.Conv2d(width, width, 3, bias=use_bias),
        nn.BatchNorm2d(width),
        nn.Conv2d(width, 64, 3),
        nn.ReLU(),
        nn.BatchNorm2d(64),
        spectral_norm(nn.Conv2d(64, 64, 3)),
        nn.BatchNorm2d(64),
        nn.Conv2d(64, 32, 3),
        nn.GroupNorm(4, 32),
        nn.Conv2d(32, 32, 3),
        nn.LayerNorm(32),
        nn.Conv2d(32, 4, 3),
        nn.PixelShuffle(2),
        nn.BatchNorm2d(1),
    )
