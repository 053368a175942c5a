"""A layer between, and networks of others."""

import torch
from models import Network
from torch import nn


class Activated(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.BatchNorm2d(64))

    def forward(self, x):
        return self.body(x)


def load(path):
    network = Activated()
    network.load_state_dict(torch.load(path, weights_only=True))
    return network.eval()


def load_other(path):
    network = Network()
    network.load_state_dict(torch.load(path, weights_only=True))
    return network.eval()
