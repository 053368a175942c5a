"""A gather of objects after early exits, as helpers write it."""

import torch.distributed as dist


def gather(data, dst=0, group=None):
    world_size = dist.get_world_size(group)
    if world_size == 1:
        return [data]
    rank = dist.get_rank(group)
    if rank == dst:
        output = [None for _ in range(world_size)]
        dist.gather_object(data, output, dst=dst, group=group)  #! TRN502
        return output
    else:
        dist.gather_object(data, None, dst=dst, group=group)  #! TRN502
        return []


def train(model, optimizer, loader, write):
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        write(gather({"size": len(batch)}))
