"""Gradients that are replaced."""

from torch.nn.parallel import DistributedDataParallel as DDP


def averaged(model, rank, optimizer, batches, kept):
    model = DDP(model, device_ids=[rank])
    for batch in batches:
        model(batch).backward()
        for p, g in zip(model.parameters(), kept):
            p.grad = g
        optimizer.step()
