"""Short formulas, small things, and formulas outside of forward passes."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Short(nn.Module):
    def forward(self, x):
        x = F.silu(self.first(x)) * self.second(x)
        return torch.sigmoid(self.third(torch.tanh(self.fourth(x * 2))) + 1) * x


class Boxes(nn.Module):
    def forward(self, deltas, anchors):
        boxes = torch.exp(deltas) * anchors * 2 + anchors - torch.sigmoid(deltas) * 0.5
        return boxes


class Steps(nn.Module):
    def forward(self, t):
        return torch.exp(-math.log(10000.0) * t / 4 + 1 - t * 2)


class FocalLoss(nn.Module):
    def forward(self, scores, targets):
        p = torch.sigmoid(scores)
        return -(targets * (1 - p) ** 2 * torch.log(p) + (1 - targets) * p**2 * torch.sigmoid(1 - p)).mean()


class Gelu(nn.Module):
    def forward(self, x):
        return fast(x)


def fast(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))


def prepare(x, y, z):
    return torch.sigmoid(x) * y + (1 - torch.sigmoid(x)) * torch.tanh(z * y)
