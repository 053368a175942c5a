"""Recurrences, layers, ragged rows, lists, networks on each row, and rows on the host outside of steps."""

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64).cuda()
        self.cell = nn.GRUCell(64, 64).cuda()
        self.blocks = nn.ModuleList([nn.Linear(64, 64) for _ in range(4)])

    def forward(self, x, lengths, rows):
        encoded = self.layer(x)
        state = torch.zeros(64, device="cuda")
        outputs = []
        for i in range(encoded.size(0)):
            state = state * 0.9 + encoded[i]
            outputs.append(state)
        for i in range(encoded.size(0)):
            outputs.append(encoded[i][: lengths[i]].mean())
        for i in range(encoded.size(0)):
            outputs.append(self.cell(encoded[i]))
        for t in range(encoded.size(0)):
            outputs.append(encoded[t] * 2)
        for block in self.blocks:
            encoded = block(encoded)
        for i in range(len(rows)):
            outputs.append(rows[i] * 2)
        for i in range(encoded.size(0)):
            outputs.append(encoded[i])
        return outputs


def report(scores):
    scores = torch.softmax(scores, dim=1)
    for i in range(scores.size(0)):
        print(scores[i] * 2)
