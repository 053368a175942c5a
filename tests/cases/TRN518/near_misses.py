"""gloo for what lies on the host."""

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from networks import Net


def on_the_host(rank):
    dist.init_process_group("gloo", rank=rank, world_size=2)
    model = DDP(Net())
    other = DDP(Net(), device_ids=None)
    return model, other
