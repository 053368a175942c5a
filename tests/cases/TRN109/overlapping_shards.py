"""Seeds that differ from rank to rank."""

import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler


def by_keyword(dataset, args):
    return DistributedSampler(dataset, shuffle=True, seed=args.seed + args.local_rank)  #! TRN109


def by_position(dataset, ranks, rank):
    return DistributedSampler(dataset, ranks, rank, True, rank)  #! TRN109


def through_a_name(dataset, seed):
    mine = seed * 1000 + dist.get_rank()
    return DistributedSampler(dataset, seed=mine)  #! TRN109
