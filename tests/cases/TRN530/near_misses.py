"""Gradients that are views, or options from elsewhere."""

from torch.nn.parallel import DistributedDataParallel as DDP


def views(model, rank, options, optimizer, batches):
    model = DDP(model, device_ids=[rank], gradient_as_bucket_view=True)
    other = DDP(model, **options)
    for batch in batches:
        model(batch).backward()
        optimizer.step()
        optimizer.zero_grad()
    return other
