"""A module is tried out at the end of its file."""

import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return self.stem(x)


if __name__ == "__main__":
    backbone = nn.Sequential(Backbone(), nn.ReLU())
    print(backbone.forward(torch.zeros(1, 3, 8, 8)).shape)
