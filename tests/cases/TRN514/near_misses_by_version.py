"""The old wrapper for an old PyTorch."""

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from network import shard_each_layer

if torch.__version__ >= "2.6":
    wrapped = shard_each_layer
else:

    def wrapped(model, policy):
        return FSDP(model, auto_wrap_policy=policy)
