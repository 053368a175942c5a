"""A group that a framework uses, and ends."""

import torch
import torch.distributed as dist
from mmengine.runner import Runner

from configs import CONFIG


def main():
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    Runner.from_cfg(CONFIG).train()


if __name__ == "__main__":
    main()
