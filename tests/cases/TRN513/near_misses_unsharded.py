"""Nothing is sharded, so nothing is gathered."""

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


def replicated(make):
    return FSDP(make(), sharding_strategy=ShardingStrategy.NO_SHARD)
