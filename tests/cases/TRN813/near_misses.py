"""The new name, options in a dict, and other classes of this name."""

import torch
from apex.parallel import DistributedDataParallel
from torch.nn.parallel import DistributedDataParallel as TorchDDP

from .parallel import DDP


def wrap(model, options):
    first = TorchDDP(model, forward_sync_buffers=False)
    second = TorchDDP(model, **{"broadcast_buffers": False, **options})
    third = DDP(model, broadcast_buffers=False)
    fourth = DistributedDataParallel(model, broadcast_buffers=False)
    fifth = torch.nn.parallel.DistributedDataParallel(model, device_ids=[0])
    return first, second, third, fourth, fifth
