"""Rows that are picked by a product."""

import torch
import torch.nn.functional as F
from torch import nn


class Codebook(nn.Module):
    def __init__(self, entries, width):
        super().__init__()
        self.entries = entries
        self.codes = nn.Embedding(entries, width)

    def forward(self, x):
        distances = torch.cdist(x, self.codes.weight)
        nearest = distances.argmin(dim=1).unsqueeze(1)
        encodings = torch.zeros(nearest.shape[0], self.entries, device=x.device)
        encodings.scatter_(1, nearest, 1)
        quantised = torch.matmul(encodings, self.codes.weight)  #! TRN712
        usage = encodings.mean(dim=0)
        return x + (quantised - x).detach(), usage

    def decode(self, ids):
        chosen = torch.nn.functional.one_hot(ids, self.entries).to(self.codes.weight.dtype)
        return chosen @ self.codes.weight  #! TRN712


def centres(labels, means):
    return F.one_hot(labels, means.shape[0]).float().mm(means)  #! TRN712


def positions(ids, table):
    rows = torch.zeros(ids.numel(), table.size(0)).scatter_(1, ids.view(-1, 1), 1.0)
    return torch.matmul(rows, table)  #! TRN712
