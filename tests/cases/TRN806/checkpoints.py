"""Checkpoints that are loaded as the version will."""

import torch
from torch import load


class Backbone(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.layers = torch.nn.Linear(8, 8)
        self.load_state_dict(load(weights, "cpu"), strict=False)  #! TRN806
