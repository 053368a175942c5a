"""A model whose published weights hold the bias."""

import torch
from torch import nn


def resnet(path):
    model = nn.Sequential(nn.Conv2d(3, 64, 7), nn.BatchNorm2d(64))
    model.load_state_dict(torch.load(path))
    return model
