"""Collectives that one rank enters alone."""

import torch
import torch.distributed as dist
from accelerate import Accelerator


def report(loss, step):
    if dist.get_rank() == 0:
        dist.all_reduce(loss)  #! TRN527
        print(step, loss)


def save(model, args, path):
    if args.rank == 0 and args.save:
        torch.save(model.state_dict(), path)
        dist.barrier()  #! TRN527


def after_exit(values, is_main_process):
    if not is_main_process():
        return None
    parts = [torch.zeros_like(values) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, values)  #! TRN527
    return torch.cat([part.flatten() for part in parts[1:]])


def evaluate(model, loader):
    accelerator = Accelerator()
    if accelerator.is_main_process:
        outputs = [model(batch) for batch in loader]
        return accelerator.gather(outputs)  #! TRN527
    return None
