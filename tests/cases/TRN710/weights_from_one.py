"""Weights that are stored as their distance from one."""

import torch
from torch import nn


class Shifted(nn.Module):
    def forward(self, x):
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        return x * (1.0 + self.weight)
