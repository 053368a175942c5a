"""Functions that are scripted so that a fuser joins their operations."""

import torch
from torch import nn
from torch.jit import script


@torch.jit.script  #! TRN707
def bias_dropout_add(x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, p: float) -> torch.Tensor:
    return residual + torch.nn.functional.dropout(x + bias, p, True)


@script  #! TRN707
def squared_relu(x):
    return torch.relu(x) ** 2


class Block(nn.Module):
    def forward(self, x, residual):
        return bias_dropout_add(squared_relu(self.linear(x)), self.bias, residual, 0.1)


def set_fuser():
    torch._C._jit_set_nvfuser_enabled(True)  #! TRN707
