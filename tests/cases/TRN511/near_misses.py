"""Bucket sizes that somebody may have measured."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def usual(model, rank):
    return DDP(model, device_ids=[rank], bucket_cap_mb=25)


def larger(model, rank):
    return DDP(model, device_ids=[rank], bucket_cap_mb=128)


def chosen(model, rank, args):
    return DDP(model, device_ids=[rank], bucket_cap_mb=args.bucket_cap_mb)


def one_bucket_for_a_graph(model, rank):
    memory = torch.cuda.get_device_properties(rank).total_memory // 2**20
    return DDP(model, device_ids=[rank], bucket_cap_mb=memory)
