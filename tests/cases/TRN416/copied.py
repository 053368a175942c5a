"""Tensors that are copied as if they were lists."""

import torch
from torch import nn


def totals(inputs: torch.Tensor, width):
    scores = nn.functional.relu(torch.ones(4, width))
    kept = torch.tensor(scores)  #! TRN416
    start = torch.tensor(torch.zeros(width) + 1)  #! TRN416
    moved = torch.tensor(torch.arange(width), dtype=torch.float32, device=inputs.device)  #! TRN416
    return kept, start, moved
