"""Groups that others end, or that end by themselves."""

import torch
import torch.distributed as dist


def of_a_library(local_rank):
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")


def on_the_host():
    dist.init_process_group("gloo")
    dist.barrier()


if __name__ == "__main__":
    on_the_host()
