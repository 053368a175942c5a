"""Gates and activations as formulas."""

import torch
import torch.nn.functional as F
from torch import nn


class Highway(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Linear(width, width)
        self.body = nn.Linear(width, width)

    def forward(self, x):
        g, y = self.gate(x), self.body(x)
        mixed = torch.sigmoid(g) * F.relu(y) + (1 - torch.sigmoid(g)) * x  #! TRN714
        return mixed


class Cell(nn.Module):
    def forward(self, x, cell):
        i, f, o, c = self.linear(x).chunk(4, dim=-1)
        cell = f.sigmoid() * cell + i.sigmoid() * c.tanh()  #! TRN714
        return o.sigmoid() * cell.tanh(), cell

    def bent(self, x):
        return x * torch.tanh(F.softplus(x)) * 1.5

    def flat(self, x):
        return self.bent(x) + 1
