"""The function by its own name or another, and other things called checkpoint."""

import torch
from torch.utils import checkpoint as saving
from torch.utils.checkpoint import checkpoint


def encode(layers, hidden):
    for layer in layers:
        hidden = checkpoint(layer, hidden, use_reentrant=False)
        hidden = saving.checkpoint(layer, hidden, use_reentrant=False)
        hidden = torch.utils.checkpoint.checkpoint(layer, hidden, use_reentrant=False)
    return hidden


def store(layers, checkpoint):
    for number, layer in enumerate(layers):
        checkpoint(layer, f"layer{number}.pt")
