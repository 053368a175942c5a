"""A tool of one process."""

import torch
import torch.distributed as dist

if __name__ == "__main__":
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", rank=0, world_size=1, init_method="tcp://127.0.0.1:29500")
    dist.barrier()
