"""Gradients of GPUs over TCP."""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP

from networks import Net


def worker(rank, world_size):
    dist.init_process_group(backend="gloo", rank=rank, world_size=world_size)  #! TRN518
    torch.cuda.set_device(rank)
    model = DDP(Net().to(rank), device_ids=[rank], output_device=rank)
    model(1).backward()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(worker, args=(2,), nprocs=2)
