"""Checkpoints that are loaded where they were saved."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def restore(model, optimizer, path):
    state = torch.load(path)  #! TRN314
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"]


def main(network, rank, path):
    dist.init_process_group("nccl")
    torch.cuda.set_device(rank)
    model = DistributedDataParallel(network.cuda(), device_ids=[rank])
    optimizer = torch.optim.AdamW(model.parameters())
    return model, optimizer, restore(model, optimizer, path)
