"""Models that are sent twice."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, model, rank):
        self.model = model.to(rank)
        for p in self.model.parameters():  #! TRN531
            with torch.no_grad():
                dist.broadcast(p, 0)
        self.rank = rank
        self.model = DDP(self.model, device_ids=[rank])


def of_states(model, rank):
    if dist.is_initialized():
        for tensor in model.state_dict().values():  #! TRN531
            torch.distributed.broadcast(tensor, src=0)
        model = DDP(model, device_ids=[rank])
    return model
