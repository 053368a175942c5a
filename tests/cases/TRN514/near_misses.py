"""Both ways, by a test."""

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard


def build(model, policy, use_dtensors):
    if use_dtensors:
        for layer in model.layers:
            fully_shard(layer)
        return fully_shard(model)
    return FSDP(model, auto_wrap_policy=policy)
