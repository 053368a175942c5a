"""Programs that end with a group."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

from networks import Net


def setup(rank, world_size):
    os.environ["MASTER_ADDR"] = "localhost"
    dist.init_process_group(backend="NCCL", rank=rank, world_size=world_size)  #! TRN535
    torch.cuda.set_device(rank)


def run(rank, world_size):
    setup(rank, world_size)
    model = DistributedDataParallel(Net().to(rank), device_ids=[rank])
    model(1).backward()


if __name__ == "__main__":
    mp.spawn(run, args=(2,), nprocs=2)
