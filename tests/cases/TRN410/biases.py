"""Biases that batch normalization takes away: in a list, beside a norm of a class, in two statements."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 3)  #! TRN410
        self.norm = nn.BatchNorm1d(width)
        self.linear = nn.Linear(width, 32)  #! TRN410
        self.bn = nn.BatchNorm1d(32)

    def forward(self, x):
        x = self.conv(x.transpose(1, 2))
        x = self.norm(x)
        return torch.relu(self.bn(self.linear(x.mean(-1))))


def make_layers(widths):
    layers = []
    for width in widths:
        layers += [
            nn.Conv2d(3, width, 3, padding=1),  #! TRN410
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
        ]
    return nn.Sequential(*layers, nn.ConvTranspose2d(8, 8, 2), nn.SyncBatchNorm(8))  #! TRN410
