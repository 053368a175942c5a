"""A network that goes on training after its evaluation."""

import torch
from torch import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 3, bias=False), nn.BatchNorm2d(64))

    def forward(self, x):
        return self.body(x)


def validate(path, batches, step):
    network = Network()
    network.load_state_dict(torch.load(path, weights_only=True))
    for batch in batches:
        network.train()
        step(network, batch)
    network.eval()
    return network
