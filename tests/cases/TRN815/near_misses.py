"""The plain collectives, the new ones, and what stays."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
from torch.distributed.nn import RemoteModule


def gathered(x, world):
    pieces = [torch.empty_like(x) for _ in range(world)]
    dist.all_gather(pieces, x)
    total = x.clone()
    dist.all_reduce(total)
    return pieces, total, collectives.all_gather_tensor(x, 0, dist.group.WORLD)


def remote(name):
    return RemoteModule(name, torch.nn.Linear, args=(2, 2))
