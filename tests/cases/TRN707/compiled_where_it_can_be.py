"""TorchScript as the way for an old PyTorch."""

import torch
from torch import nn

fuse = torch.compile if hasattr(torch, "compile") else torch.jit.script


@torch.jit.script
def gate(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(x) * y


@fuse
def swish(x: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(x) * x


class Gated(nn.Module):
    def forward(self, x, y):
        return gate(swish(x), y)
