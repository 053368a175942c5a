"""Groups that need no device, or are given one."""

import torch
import torch.distributed as dist

from networks import Net, options


def given(rank):
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    dist.barrier()


def on_the_host():
    dist.init_process_group("gloo")
    dist.barrier()


def of_one():
    dist.init_process_group("nccl", rank=0, world_size=1)
    dist.barrier()


def elsewhere():
    dist.init_process_group(**options)
    dist.barrier()


def library(rank):
    dist.init_process_group("nccl", rank=rank)
    dist.barrier()
    return Net().cuda()


if __name__ == "__main__":
    given(0)
    on_the_host()
    of_one()
    elsewhere()
    dist.destroy_process_group()
