"""Processes that never choose a GPU."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

from networks import Net


def run(rank, world_size):
    os.environ["MASTER_ADDR"] = "localhost"
    dist.init_process_group("nccl", rank=rank, world_size=world_size)  #! TRN517
    model = DistributedDataParallel(Net().to(rank), device_ids=[rank])
    names = [None] * world_size
    dist.all_gather_object(names, os.uname().nodename)
    dist.barrier()
    dist.destroy_process_group()
    return model


def by_default_device():
    torch.distributed.init_process_group(backend="nccl", init_method="env://")  #! TRN517
    return Net().cuda()


if __name__ == "__main__":
    by_default_device()
    mp.spawn(run, args=(2,), nprocs=2)
