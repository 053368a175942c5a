"""Programs that leave in order."""

import os

import torch
import torch.distributed as dist

from networks import Net


def setup():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")


def main():
    setup()
    try:
        Net()(1).backward()
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


if __name__ == "__main__":
    main()
