"""Each process sees one GPU."""

import os

import torch
import torch.distributed as dist


def main():
    os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["LOCAL_RANK"]
    dist.init_process_group("nccl")
    model = torch.nn.Linear(512, 512).cuda()
    dist.barrier()
    dist.destroy_process_group()
    return model


if __name__ == "__main__":
    main()
