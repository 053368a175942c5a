"""Functions that scripted models call when they are served."""

import torch
from torch import nn


@torch.jit.script
def decode(boxes: torch.Tensor, deltas: torch.Tensor) -> torch.Tensor:
    return boxes + deltas * (boxes[:, 2:] - boxes[:, :2]).repeat(1, 2)


class Head(nn.Module):
    def forward(self, boxes, deltas):
        return decode(boxes, deltas)


def save(model, path):
    torch.jit.save(torch.jit.script(model), path)
