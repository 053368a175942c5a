"""Reductions that are packed, overlapped, or done once."""

import torch
import torch.distributed as dist


def flattened(model):
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    torch._foreach_copy_(gradients, [part for part in flat.split([gradient.numel() for gradient in gradients])])


def overlapped(model):
    handles = [dist.all_reduce(parameter.grad, async_op=True) for parameter in model.parameters()]
    for handle in handles:
        handle.wait()


def by_bucket(buckets):
    for bucket in buckets:
        dist.all_reduce(bucket.flat)


def same_start(model):
    for parameter in model.parameters():
        dist.broadcast(parameter.data, 0)


def norm_of_all(model):
    total = torch.zeros((), device="cuda")
    for parameter in model.parameters():
        total += parameter.grad.norm() ** 2
    dist.all_reduce(total)
    return total.sqrt()
