"""The old name of what a function saved for its backward."""

import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_variables  #! TRN812
        return grad * scale, (grad * x).sum()


class Layer:
    """A class of its own, whose contexts have such an attribute."""

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_variables[0]
