"""Checkpoints that are loaded as the version will."""

import torch
from torch import load


def resume(path, model, optimizer, device):
    checkpoint = torch.load(path, map_location=device)  #! TRN806
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["epoch"] + 1


class Backbone(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.layers = torch.nn.Linear(8, 8)
        self.load_state_dict(load(weights, "cpu"), strict=False)  #! TRN806
