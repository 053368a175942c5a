"""One layer is a unit."""

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def a_layer_alone():
    return FSDP(torch.nn.Linear(512, 512))
