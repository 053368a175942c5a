"""Types, the engine behind the class, and other classes of this name."""

import torch
from sympy import Variable as Symbol
from torch.autograd import Variable as Wrapped

from .graph import Variable


def is_tensor(value: Wrapped) -> bool:
    return isinstance(value, (torch.Tensor, Wrapped))


def at_the_end(callback):
    Wrapped._execution_engine.queue_callback(callback)
    torch.autograd.Variable._execution_engine.queue_callback(callback)


def nodes(names):
    return [Variable(name) for name in names], Symbol("x"), torch.autograd.variable
