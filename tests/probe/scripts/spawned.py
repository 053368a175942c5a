"""Starts its two ranks by itself."""

import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch import multiprocessing, nn
from torch.nn.parallel import DistributedDataParallel


def train(rank, address):
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    model = DistributedDataParallel(nn.Linear(16, 16))
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(500):
        optimizer.zero_grad()
        model(torch.randn(4, 16)).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    multiprocessing.start_processes(
        train, start_method=sys.argv[1], args=((Path.cwd() / "rendezvous").as_uri(),), nprocs=2
    )
