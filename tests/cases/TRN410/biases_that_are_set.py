"""A bias that the file sets without asking for it: without one the constructor would fail, so no TRN410."""

from torch import nn


def start_weights(layer):
    if isinstance(layer, nn.Conv2d):
        nn.init.xavier_uniform_(layer.weight)
        layer.bias.data.fill_(0.01)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, width, 3), nn.BatchNorm2d(width))
        self.apply(start_weights)
