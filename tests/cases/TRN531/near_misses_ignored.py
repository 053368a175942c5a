"""A model of which DDP leaves some parameters alone."""

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def with_frozen_table(model, rank):
    model._ddp_params_and_buffers_to_ignore = ["table.weight"]
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    return DDP(model, device_ids=[rank])
