"""Wrappers of a project that derive from DataParallel, and what only names the class."""

import torch
from torch import nn
from torch.nn import DataParallel as Parallel


class SplitByHand(nn.DataParallel):  #! TRN507
    """Sends each device its own part."""

    def scatter(self, inputs, kwargs, device_ids):
        return [(part.to(device),) for part, device in zip(inputs[0], device_ids)], [kwargs] * len(device_ids)


class WithCallback(Parallel):  #! TRN507
    def replicate(self, module, device_ids):
        return super().replicate(module, device_ids)


class Mixed(nn.Module, torch.nn.parallel.DataParallel):  #! TRN507
    pass


class Named(nn.Module):
    parallel: nn.DataParallel

    def inner(self):
        return self.parallel.module if isinstance(self.parallel, Parallel) else self.parallel


class NotParallel(nn.Module):
    def forward(self, x):
        return x


def build(model):
    return SplitByHand(model), WithCallback(model), Mixed(model), Named(), NotParallel()


if __name__ == "__main__":
    build(nn.Linear(2, 2))
