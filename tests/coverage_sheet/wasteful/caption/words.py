"""A small language model over captions, and a vector for each class."""

import torch
import torch.nn.functional as F
from torch import nn


@torch.jit.script  #! TRN707
def bias_gelu(bias: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    x = bias + x
    return x * 0.5 * (1.0 + torch.erf(x / 1.4142135623730951))


class WordModel(nn.Module):
    """How surprising a caption is."""

    def __init__(self, body, width, vocab_size):
        super().__init__()
        self.body = body
        self.vocab_size = vocab_size
        self.inner = nn.Linear(width, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(width))
        self.lm_head = nn.Linear(width, vocab_size, bias=False)

    def forward(self, tokens, targets):
        hidden = bias_gelu(self.bias, self.inner(self.body(tokens)))
        logits = self.lm_head(hidden).float()
        return F.cross_entropy(logits.view(-1, self.vocab_size), targets.view(-1))


class Prototypes(nn.Module):
    """The vector that stands for a class."""

    def __init__(self, classes, width):
        super().__init__()
        self.classes = classes
        self.table = nn.Embedding(classes, width)

    def forward(self, labels):
        return F.one_hot(labels, self.classes).float() @ self.table.weight
