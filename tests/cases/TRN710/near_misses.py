"""Formulas for other functions."""

import math

import torch
from torch import nn

from kernels import jit_fuser


def normal_distribution(x):
    return 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


def of_a_number(x):
    return x * 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def few_digits(x):
    return x * 0.5 * (1.0 + torch.erf(x / 1.41421))


def over_channels(x, eps):
    return x * torch.rsqrt(torch.mean(x**2, dim=1, keepdim=True) + eps)


class Unbiased(nn.Module):
    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        deviation = x.std(-1, keepdim=True)
        return self.scale * (x - mean) / (deviation + self.eps)


def frozen(x, weight, running_var, eps):
    return x * (weight * (running_var + eps).rsqrt()).view(1, -1, 1, 1)


def unbiased(x, eps):
    return (x - x.mean(-1, keepdim=True)) * torch.rsqrt(x.var(-1, keepdim=True) + eps)


def attention(q, k, width):
    return q @ k.transpose(-2, -1) / math.sqrt(width + 1)


def gate(x):
    return x * 0.5 * (1 + torch.tanh(x))


def distance(x, y, eps):
    return torch.sqrt((x - y).pow(2).mean(-1, keepdim=True) + eps)


@jit_fuser
def fused_gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(0.7978845608028654 * x * (1.0 + 0.044715 * x * x)))
