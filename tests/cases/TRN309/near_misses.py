"""Checkpointing that says what it wants, that may, or that is not PyTorch's."""

import functools

import deepspeed
import torch
from fairscale.nn.checkpoint import checkpoint_wrapper
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

run_again = functools.partial(checkpoint, use_reentrant=False)


def encode(layers, hidden, mask, options):
    for layer in layers:
        hidden = checkpoint(layer, hidden, mask, use_reentrant=True)
        hidden = checkpoint(layer, hidden, mask, **options)
        hidden = run_again(layer, hidden)
        hidden = deepspeed.checkpointing.checkpoint(layer, hidden)
    hidden = checkpoint_sequential(layers, 2, hidden, False)
    return checkpoint_sequential(layers, *options, use_reentrant=False)


def save_all(manager, model):
    manager.checkpoint(model)
    return checkpoint_wrapper(model)


class Trainer:
    def checkpoint(self, path):
        torch.save(self.model.state_dict(), path)

    def finish(self):
        self.checkpoint("last.pt")
