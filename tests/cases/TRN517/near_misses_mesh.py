"""A mesh of devices chooses one for each process."""

import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from networks import Net


def main():
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    model = Net().cuda()
    dist.barrier()
    dist.destroy_process_group()
    return model, mesh


if __name__ == "__main__":
    main()
