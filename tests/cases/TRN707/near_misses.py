"""Other uses of TorchScript."""

import torch
from torch import nn


@torch.jit.script
class Boxes:
    def __init__(self, weights: float):
        self.weights = weights


class Module(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def switches(version):
    torch._C._jit_set_nvfuser_enabled(False)
    if version < (2, 0):
        torch._C._jit_set_nvfuser_enabled(True)
    with torch.jit.fuser("fuser1"):
        return None


def whole_model(build):
    return torch.jit.script(build())
