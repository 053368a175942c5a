"""A model that is sharded in place, as one unit."""

import torch
from torch.distributed.fsdp import fully_shard


def in_place(make, mesh):
    model = make()
    model = fully_shard(model, mesh=mesh)  #! TRN513
    return torch.optim.AdamW(model.parameters())
