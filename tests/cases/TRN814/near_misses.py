"""The same words elsewhere, and values that nobody minds."""

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from transformers import get_scheduler

from .schedulers import CosineWarmup


class Warmed(LRScheduler):
    def __init__(self, optimizer, last_epoch=-1, verbose=False):
        self.verbose = verbose
        super().__init__(optimizer, last_epoch)


class Own(CosineWarmup):
    def __init__(self, optimizer, verbose):
        super().__init__(optimizer, -1, verbose)


def build(optimizer, options, x, y):
    first = ReduceLROnPlateau(optimizer, patience=2)
    second = CosineWarmup(optimizer, verbose=True)
    third = get_scheduler("linear", optimizer, verbose=True)
    fourth = ReduceLROnPlateau(optimizer, **options)
    if torch.__version__ < "2.2":
        fourth = ReduceLROnPlateau(optimizer, verbose=True)
    grads = torch.autograd.grad(y, x, only_inputs=True)
    return first, second, third, fourth, grads, nn.MSELoss(reduction="mean"), nn.Hardtanh(min_val=0)
