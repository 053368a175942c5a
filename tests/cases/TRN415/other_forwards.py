"""The class's own forward, autograd functions, converters that are no modules, and a wrapper that hands on."""

import torch
from torch import nn

from signals import Converter


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


class Adapter(nn.Linear):
    def __init__(self, width):
        super().__init__(width, width)
        self.inner = nn.Linear(width, width)

    def forward(self, *args, **kwargs):
        return super().forward(*args) + self.inner.forward(*args, **kwargs)

    def predict(self, x):
        return self.forward(x) + nn.Linear.forward(self.inner, x)


def convert(image, engine_model, robot):
    converter = Converter()
    robot.forward(0.5)
    return converter.forward(engine_model.forward(image))


class Hops(nn.Module):
    def __init__(self, width, hops):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(hops)])

    def forward(self, x):
        out = self.layers[0](x)
        for layer in self.layers[1:]:
            out = out + layer.forward(x)
        return out
