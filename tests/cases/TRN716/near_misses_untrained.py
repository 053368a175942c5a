"""A network that has no weights of a training yet."""

from torch import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 3, bias=False), nn.BatchNorm2d(64))

    def forward(self, x):
        return self.body(x)


def count():
    network = Network().eval()
    return sum(parameter.numel() for parameter in network.parameters())
