"""Sums of which each rank keeps a part."""

import torch
import torch.distributed as dist


def by_chunk(flat, world_size):
    rank = dist.get_rank()
    dist.all_reduce(flat)  #! TRN529
    return flat.chunk(world_size)[rank]


def by_function(flat, world_size, group):
    my_rank = dist.get_rank(group)
    dist.all_reduce(flat, group=group)  #! TRN529
    part = torch.chunk(flat, world_size, dim=0)[my_rank]
    return part.contiguous()


def by_slice(flat, size, rank):
    dist.all_reduce(flat)  #! TRN529
    mine = flat[rank * size : (rank + 1) * size]
    return mine


class StackedGradients(torch.autograd.Function):
    @staticmethod
    def backward(ctx, *gradients):
        stacked = torch.stack(gradients)
        dist.all_reduce(stacked)  #! TRN529
        return stacked[dist.get_rank()]


def by_index(flat, place):
    own_rank = dist.get_rank()
    dist.all_reduce(flat)  #! TRN529
    return flat[own_rank].clone()
