"""Other tables, and other indices."""

import torch
from torch import nn


class Tables(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.register_buffer("waves", torch.zeros(length, width))
        self.weights = nn.Parameter(torch.zeros(length, width))
        self.grid = nn.Parameter(torch.zeros(1, length, width))
        self.stages = nn.ParameterList(nn.Parameter(torch.zeros(length)) for _ in range(4))

    def forward(self, x, position_ids, valid_tokens, stage):
        x = x + self.waves[position_ids]
        x = x + self.grid[position_ids]
        x = x * self.weights[stage] + self.stages[stage]
        x = x + self.weights[: x.shape[1]]
        return x + self.weights[valid_tokens].sum()

    @torch.no_grad()
    def nearest(self, token_ids):
        return self.weights[token_ids]

    def prune(self, kept_indices):
        self.weights = nn.Parameter(self.weights[kept_indices])


def reorder(states, beam_indices):
    return states.index_select(0, beam_indices)


class Once(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(length, width))

    def forward(self, x, masked_ids, token_ids):
        with torch.no_grad():
            start = self.table[token_ids]
        return x + start + self.table[sorted_tokens(masked_ids)].sum()

    @torch.no_grad()
    def nearest(self, token_ids):
        return self.table[token_ids]


def sorted_tokens(ids):
    return ids.sort().values
