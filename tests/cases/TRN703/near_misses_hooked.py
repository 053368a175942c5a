"""Weights that a hook collects."""

from torch import nn


class Shown(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4)
        self.maps = []
        self.attention.register_forward_hook(lambda module, given, out: self.maps.append(out[1]))

    def forward(self, x):
        return self.attention(x, x, x)[0]
