"""Tables of parameters whose rows are picked by indices."""

import torch
from torch import nn


class Labelled(nn.Module):
    def __init__(self, classes, width):
        super().__init__()
        self.words = nn.Embedding(classes, width)
        self.offsets = nn.Parameter(torch.randn((classes, width)))

    def forward(self, labels, token_ids):
        return self.offsets[labels] + self.words.weight[token_ids]  #! TRN711
