"""Warns of the lines that call, through functions that the probe stands around."""

import copy
import gc
import warnings

import torch
from toy import model_and_optimizer, step


class Warns(torch.nn.Module):
    def forward(self, x):
        warnings.warn("of the caller of the model", stacklevel=4)
        return x


class Copied:
    def __deepcopy__(self, memo):
        warnings.warn("of the caller of the copy", stacklevel=3)
        return self


class Collected:
    def __init__(self):
        self.itself = self

    def __del__(self):
        warnings.warn("of the caller of the collection", stacklevel=2)


warns, copied = Warns(), Copied()
model, optimizer = model_and_optimizer()
for _ in range(100):
    warns(1)  # model
    copy.deepcopy(copied)  # first copy
    copy.deepcopy(copied)  # second copy
    Collected()
    gc.collect()  # collection
    step(model, optimizer)
