"""Lists that one function gathers and another joins."""

import torch
import torch.distributed as dist


class GatherAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, features):
        parts = [torch.zeros_like(features) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, features)
        return tuple(parts)

    @staticmethod
    def backward(ctx, *gradients):
        own = gradients[dist.get_rank()].contiguous()
        return own


def of_all_ranks(features):
    parts = [torch.empty_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, features)
    return parts


def with_own_part(features):
    parts = [torch.empty_like(features) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, features)
    parts[dist.get_rank()] = features
    return parts


def joined(features):
    return torch.cat(of_all_ranks(features), dim=0)  #! TRN501


def joined_by_name(features):
    held = of_all_ranks(features)
    total = features.mean()
    return torch.cat(held) - total


def joined_with_gradient(features):
    return torch.cat(GatherAll.apply(features), dim=0)  #! TRN501


def one_by_one(features):
    return [part.mean() for part in of_all_ranks(features)]


def both(features):
    held = of_all_ranks(features)
    return torch.cat(held), held[0]


def spliced(features):
    return torch.cat(with_own_part(features))
