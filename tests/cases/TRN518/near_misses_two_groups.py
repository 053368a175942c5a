"""One group for the host, one for the devices."""

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from networks import Net


def both(rank):
    dist.init_process_group("gloo")
    devices = dist.new_group(backend="nccl")
    return DDP(Net().cuda(), device_ids=[rank], process_group=devices)
