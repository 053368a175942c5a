"""Wraps with the old name of the argument."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(model, args):
    model = torch.nn.parallel.DistributedDataParallel(  #! TRN813
        model, device_ids=[args.gpu], broadcast_buffers=False
    )
    return model


class Engine:
    def prepare(self, model, options):
        self.model = DDP(model, broadcast_buffers=options.buffers, bucket_cap_mb=50)  #! TRN813
