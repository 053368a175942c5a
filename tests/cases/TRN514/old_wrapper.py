"""The old wrapper."""

import functools

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision, ShardingStrategy
from torch.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

from networks import Layer


def build(model, precision, rank):
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Layer})
    return FSDP(  #! TRN514
        model,
        auto_wrap_policy=policy,
        sharding_strategy=ShardingStrategy.FULL_SHARD,
        mixed_precision=MixedPrecision(param_dtype=precision),
        device_id=rank,
    )


class Strategy:
    def setup(self, model):
        self.model = FullyShardedDataParallel(model, auto_wrap_policy=self.policy)  #! TRN514
        return isinstance(self.model, FSDP)
