"""A network that another program goes on training."""

import torch
from torch import nn

from steps import optimize


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 3, bias=False), nn.BatchNorm2d(64))

    def forward(self, x):
        return self.body(x)


def start(path):
    network = Network()
    network.load_state_dict(torch.load(path, weights_only=True))
    optimize(network.eval())
