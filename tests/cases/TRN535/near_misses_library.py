"""A group of a library, which others end."""

import torch
import torch.distributed as dist


def of_a_library(local_rank):
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
