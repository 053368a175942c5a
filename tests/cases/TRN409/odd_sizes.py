"""Sizes that no tile fits, in a model that runs under autocast."""

import torch
from torch import nn

VOCAB_SIZE = 50257


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        vocab = 32003
        self.tokens = nn.Embedding(VOCAB_SIZE, 768)  #! TRN409
        self.other = nn.Embedding(vocab, 512)  #! TRN409
        self.wide = nn.Embedding(64, 1001)  #! TRN409
        self.up = nn.Linear(768, 3071)
        self.down = nn.Linear(3071, 768)  #! TRN409
        self.head = nn.Linear(768, out_features=VOCAB_SIZE, bias=False)  #! TRN409

    def forward(self, tokens):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return self.head(self.down(self.up(self.tokens(tokens))))
