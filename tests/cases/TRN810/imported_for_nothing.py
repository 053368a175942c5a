"""The import outlived its uses."""

import torch
from torch.autograd import Function, Variable  #! TRN810


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def double(x):
    return Double.apply(torch.as_tensor(x))
