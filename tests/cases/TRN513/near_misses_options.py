"""Options may hold a policy."""

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def by_options(make, options):
    return FSDP(make(), **options)
