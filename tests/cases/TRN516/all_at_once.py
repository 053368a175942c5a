"""Checkpoints that every process writes."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP

from networks import Net


def save_checkpoint(model, epoch, out):
    path = os.path.join("checkpoints", "last.pt")
    torch.save({"model": model.state_dict(), "epoch": epoch}, path)  #! TRN516


def worker(rank, args):
    dist.init_process_group("nccl", rank=rank, world_size=args.world_size)
    torch.cuda.set_device(rank)
    model = DDP(Net().cuda(), device_ids=[rank])
    best = 0.0
    for epoch in range(args.epochs):
        score = run_epoch(model)
        if score > best:
            best = score
            torch.save(model.module, args.output_dir + "/best.pt")  #! TRN516
        if epoch % 5 == 0:
            save_checkpoint(model, epoch, args)
    if rank == 0:
        print(best)
    dist.destroy_process_group()


def run_epoch(model):
    loss = model(1)
    loss.backward()
    return 1.0


def main(args):
    mp.spawn(worker, args=(args,), nprocs=args.world_size)


if __name__ == "__main__":
    main(None)
