"""One seed for all, no shuffling, or seeds of something else."""

import torch
import torch.distributed as dist
from samplers import DistributedSampler as OwnSampler
from torch.utils.data.distributed import DistributedSampler


def one_seed(dataset, ranks, rank, seed):
    torch.manual_seed(seed + rank)
    return DistributedSampler(dataset, num_replicas=ranks, rank=rank, shuffle=True, seed=seed, drop_last=True)


def in_order(dataset, seed):
    return DistributedSampler(dataset, shuffle=False, seed=seed + dist.get_rank())


def of_the_epoch(dataset, seed, epoch):
    return DistributedSampler(dataset, seed=seed + epoch)


def of_its_own(dataset, seed, rank):
    """A class of the project, which may want it so."""
    return OwnSampler(dataset, seed=seed + rank)
