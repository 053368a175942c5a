"""Objects that travel in each step."""

import torch.distributed as dist


def lengths(model, optimizer, loader):
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sizes = [None] * dist.get_world_size()
        dist.all_gather_object(sizes, len(batch))  #! TRN502


def gather(data, dst):
    if dist.get_rank() == dst:
        parts = [None for _ in range(dist.get_world_size())]
        dist.gather_object(data, parts, dst=dst)  #! TRN502
        return parts
    dist.gather_object(data, None, dst=dst)  #! TRN502
    return []


def metrics(model, optimizer, loader, write):
    for batch in loader:
        losses = model(batch)
        optimizer.zero_grad()
        losses["all"].backward()
        optimizer.step()
        write(gather({"batch": len(batch)}, 0))
