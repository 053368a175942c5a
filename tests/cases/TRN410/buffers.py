"""A buffer that a module registers is no model."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(1))
        self.first = nn.Sequential(
            nn.Conv2d(3, 64, 11, stride=4),  #! TRN410
            nn.BatchNorm2d(64),
            nn.ReLU(),
        )
