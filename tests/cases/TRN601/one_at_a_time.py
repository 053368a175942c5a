"""Optimizers that start a dozen kernels for each parameter."""

import torch
from torch.optim import AdamW, RMSprop


def build(model, lr):
    # One more copy of the parameters does not fit into memory.
    lean = AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95), foreach=False)  #! TRN601
    plain = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, foreach=False)  #! TRN601
    return lean, plain


def other(model):
    return RMSprop(model.parameters(), foreach=False)  #! TRN601
