"""Saves of one rank, and saves that are each rank's own."""

import io
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from networks import Net, master_only


def save_checkpoint(model, path):
    torch.save(model.state_dict(), path)


@master_only
def save_state(state):
    torch.save(state, "state.pt")


def save_last(model):
    if dist.get_rank() != 0:
        return
    torch.save(model.state_dict(), "last.pt")


def main(args):
    torch.cuda.set_device(args.gpu)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    is_saving = args.save and rank == 0
    args.keep = rank == 0 and not args.debug
    log = None
    if rank == 0:
        log = open("log.txt", "w")
    model = DDP(Net().cuda(), device_ids=[args.gpu])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(args.epochs):
        model(epoch).backward()
        optimizer.step()
        if args.gpu == 0:
            torch.save(model.module, "gpu.pt")
        if is_saving:
            torch.save(model.module, "name.pt")
        if args.keep:
            torch.save(model.module, "attribute.pt")
        if log is not None:
            torch.save(model.module, "log.pt")
        if rank == 0 and epoch % 10 == 0:
            save_checkpoint(model, "checkpoint.pt")
        torch.save(optimizer.state_dict(), os.path.join("states", f"optimizer_{rank}.pt"))
        own = "part-%d.pt" % dist.get_rank()
        torch.save(model.module, own)
        buffer = io.BytesIO()
        torch.save(model.module.state_dict(), buffer)
        save_state(model.state_dict())
        save_last(model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(None)
