"""Processes that choose their GPU, and groups that need none."""

import os

import torch
import torch.distributed as dist

from networks import Net


def choose():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


def main():
    choose()
    dist.init_process_group("nccl")
    model = Net().cuda()
    dist.barrier()
    dist.destroy_process_group()
    return model


if __name__ == "__main__":
    main()
