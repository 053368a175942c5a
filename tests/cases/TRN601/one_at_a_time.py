"""Optimizers that start a dozen kernels for each parameter."""

from torch.optim import RMSprop


def other(model):
    return RMSprop(model.parameters(), foreach=False)  #! TRN601
