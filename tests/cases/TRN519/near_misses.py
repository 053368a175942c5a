"""Public names, and private ones for versions without them."""

import torch
import torch.distributed as dist
from packaging import version

from backends import comm

if version.parse(torch.__version__) >= version.parse("1.13"):
    gather_flat = dist.all_gather_into_tensor
else:
    gather_flat = dist._all_gather_base

try:
    scatter_flat = torch.distributed.reduce_scatter_tensor
except AttributeError:
    scatter_flat = torch.distributed._reduce_scatter_base


def newest(flat, shard):
    if hasattr(dist, "all_gather_single"):
        dist.all_gather_single(flat, shard)
    else:
        dist._all_gather_base(flat, shard)


def other(flat, shard):
    comm._all_gather_base(flat, shard)
    dist.all_gather_into_tensor(flat, shard)
