"""A formula that a decorator makes one kernel of."""

import torch

from kernels import script_if_possible


@script_if_possible
def gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(0.7978845608028654 * x * (1.0 + 0.044715 * x * x)))
