"""The optimizer gets the new parameters later."""

import torch
from torch.distributed.fsdp import fully_shard


def build(model, head):
    optimizer = torch.optim.AdamW(head.parameters(), lr=1e-4)
    fully_shard(head)
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer.param_groups.clear()
    optimizer.add_param_group({"params": model.parameters()})
    return optimizer
