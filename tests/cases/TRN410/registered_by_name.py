"""Weights of models that are registered by a name come from elsewhere, too: no TRN410."""

from torch import nn

from project.models import register_trunk


@register_trunk("plain_net")
class PlainNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 64, 11, stride=4), nn.BatchNorm2d(64), nn.ReLU())
