"""Written out for where the fused function is missing."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, fused=hasattr(F, "scaled_dot_product_attention")):
        super().__init__()
        self.fused = fused

    def forward(self, q, k, v):
        if self.fused:
            return F.scaled_dot_product_attention(q, k, v)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
        return weights @ v
