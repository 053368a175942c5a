"""A small language model over captions, and a vector for each class."""

import torch
import torch.nn.functional as F
from torch import nn


@torch.compile
def bias_gelu(bias: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    x = bias + x
    return x * 0.5 * (1.0 + torch.erf(x / 1.4142135623730951))


class WordModel(nn.Module):
    """How surprising a caption is."""

    def __init__(self, body, width, vocab_size):
        super().__init__()
        self.body = body
        self.inner = nn.Linear(width, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(width))
        self.lm_head = nn.Linear(width, vocab_size, bias=False)

    def forward(self, tokens, targets):
        hidden = bias_gelu(self.bias, self.inner(self.body(tokens))).flatten(0, 1)
        options = nn.LinearCrossEntropyOptions()
        return F.linear_cross_entropy(hidden, self.lm_head.weight, targets.flatten(), options=options)


class Prototypes(nn.Module):
    """The vector that stands for a class."""

    def __init__(self, classes, width):
        super().__init__()
        self.table = nn.Embedding(classes, width)

    def forward(self, labels):
        return F.embedding(labels, self.table.weight)
