"""The blocks that both towers are built of."""

import math

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Attention(nn.Module):
    def __init__(self, width, heads, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        query, key, value = self.project(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
        weights = torch.softmax(scores, dim=-1)
        return self.out((weights @ value).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Norm(nn.Module):
    """Divides by the root of the mean square."""

    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        return x * self.weight


class Gate(nn.Module):
    """How much of what words attend to is mixed into them."""

    def __init__(self, width):
        super().__init__()
        self.update = nn.Linear(2 * width, width)

    def forward(self, words, attended):
        update = self.update(torch.cat([words, attended], dim=-1))
        return torch.sigmoid(update) * words + (1 - torch.sigmoid(update)) * torch.tanh(attended)


class CrossBlock(nn.Module):
    """Words that attend to patches."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.gate = Gate(width)
        self.norm = Norm(width)

    def forward(self, words, patches):
        attended, _ = self.attention(words, patches, patches)  #! TRN703
        return self.norm(self.gate(words, attended))


class Stack(nn.Module):
    def __init__(self, width, heads, depth, checkpointed=False):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.checkpointed = checkpointed

    def forward(self, x):
        for block in self.blocks:
            if self.checkpointed and self.training:
                x = checkpoint(block, x)  #! TRN309
            else:
                x = block(x)
        return x
