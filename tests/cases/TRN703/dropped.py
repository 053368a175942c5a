"""Weights that go nowhere."""

from typing import Optional

import torch
from torch import Tensor, nn


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(width, heads, dropout=0.1)
        self.cross = torch.nn.MultiheadAttention(width, heads)
        self.norm = nn.LayerNorm(width)

    def forward(self, src, memory, mask: Optional[Tensor] = None, padding: Optional[Tensor] = None):
        src2 = self.self_attn(src, src, value=src, attn_mask=mask, key_padding_mask=padding)[0]  #! TRN703
        src = self.norm(src + src2)
        attended, _ = self.cross(query=src, key=memory, value=memory)  #! TRN703
        return src + attended

    def never_read(self, x):
        attended, weights = self.cross(x, x, x)  #! TRN703
        return attended


def pool(inputs, queries):
    attention = nn.MultiheadAttention(64, 4, batch_first=True)
    return attention(queries, inputs, inputs)[0].mean(1)  #! TRN703
