"""A model that only samples."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


@torch.no_grad()
def sample(model, rank, noise):
    return DDP(model, device_ids=[rank])(noise)
