"""The sizes are those of loaded weights: no TRN409."""

import torch
from torch import nn

vocab_size = 50257


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, 768)
        self.block = nn.TransformerEncoderLayer(768, 12)
        self.load_state_dict(torch.load("weights.pt", weights_only=True, map_location="cpu"))

    def forward(self, tokens):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return self.block(self.embedding(tokens)) @ self.embedding.weight.T
