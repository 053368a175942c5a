"""Accelerate chooses the device."""

import torch.distributed as dist
from accelerate import Accelerator

from networks import Net


def main():
    accelerator = Accelerator()
    dist.init_process_group("nccl")
    model = accelerator.prepare(Net())
    dist.barrier()
    dist.destroy_process_group()
    return model


if __name__ == "__main__":
    main()
