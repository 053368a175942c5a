"""Optimizers that update many parameters at once, or for whom nothing better is at hand."""

import torch
from torch.optim import Adam, AdamW


class SGD:
    """Of another library."""

    def __init__(self, parameters, foreach):
        self.parameters, self.foreach = parameters, foreach


def build(model, config):
    return (
        Adam(model.parameters(), fused=True, foreach=False),
        AdamW(model.parameters(), foreach=config.foreach),
        AdamW(model.parameters()),
        torch.optim.Adam(model.parameters(), foreach=True),
        SGD(model.parameters(), foreach=False),
    )


