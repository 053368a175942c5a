"""Private names where public ones are at hand."""

import torch
import torch.distributed as dist
from torch.distributed import _reduce_scatter_base
from torch.distributed.distributed_c10d import _all_gather_base as gather_flat


class Bucket:
    def __init__(self, group):
        self.group = group

    def gather(self, flat, shard):
        return torch.distributed._all_gather_base(flat, shard, group=self.group, async_op=True)  #! TRN519

    def reduce(self, flat, shard):
        dist._reduce_scatter_base(shard, flat, group=self.group)  #! TRN519
        _reduce_scatter_base(shard, flat)  #! TRN519


def gather(flat, shard):
    gather_flat(flat, shard)  #! TRN519


collective = dist._all_gather_base  #! TRN519
