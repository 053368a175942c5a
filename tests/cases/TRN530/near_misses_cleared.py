"""Gradients that a function clears, perhaps by detaching them."""

from torch.nn.parallel import DistributedDataParallel as DDP

from mixed_precision import zero_grad


def train(model, rank, optimizer, batches):
    model = DDP(model, device_ids=[rank])
    for batch in batches:
        zero_grad(model.parameters())
        model(batch).backward()
        optimizer.step()
