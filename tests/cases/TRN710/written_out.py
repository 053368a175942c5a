"""Norms and activations as formulas."""

import math

import torch
from torch import nn


class RootMeanSquare(nn.Module):
    def normalise(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)  #! TRN710

    def forward(self, x):
        return self.normalise(x.float()).type_as(x) * self.weight


class InSteps(nn.Module):
    def forward(self, hidden):
        variance = (hidden * hidden).mean(dim=-1, keepdim=True)
        scale = torch.rsqrt(variance + self.eps)  #! TRN710
        return self.weight * (hidden * scale)


class Centred(nn.Module):
    def forward(self, x):
        u = x.mean(-1, keepdim=True)
        s = (x - u).pow(2).mean(-1, keepdim=True)
        x = (x - u) / torch.sqrt(s + self.variance_epsilon)  #! TRN710
        return self.weight * x + self.bias


def by_variance(x, weight, eps):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) * (variance + eps).rsqrt() * weight  #! TRN710


def gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))  #! TRN710


def quick_gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))  #! TRN710
