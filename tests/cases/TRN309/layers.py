"""Checkpointing without a word on the implementation."""

import torch
import torch.utils.checkpoint as ckpt
from torch.utils import checkpoint


class Stack(torch.nn.Module):
    def __init__(self, layers, size):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)
        self.size = size
        self.save_memory = False

    def forward(self, hidden, mask):
        if not (self.save_memory and self.training):
            for layer in self.layers:
                hidden = layer(hidden, mask)
            return hidden

        def piece(start):
            def run(*inputs):
                for layer in self.layers[start : start + self.size]:
                    inputs = (layer(*inputs), *inputs[1:])
                return inputs[0]

            return run

        for start in range(0, len(self.layers), self.size):
            hidden = checkpoint.checkpoint(  #! TRN309
                piece(start),
                hidden,
                mask,
            )
        return hidden


def wrapped(forward):
    def run(*inputs):
        return ckpt.checkpoint(forward, *inputs, preserve_rng_state=False)  #! TRN309

    return run


def with_named_arguments(layer, hidden, mask):
    return checkpoint.checkpoint(layer, hidden, mask=mask)  #! TRN309
