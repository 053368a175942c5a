"""A function that no network uses."""

import torch


@torch.jit.script
def area(width, height):
    return width * height
