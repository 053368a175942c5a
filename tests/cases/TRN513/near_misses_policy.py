"""A policy makes units of layers."""

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


def by_policy(make, block, local_rank):
    return FSDP(make(), auto_wrap_policy=ModuleWrapPolicy({block}), device_id=local_rank)
