"""Barriers that are seldom, or needed."""

import time

import torch
import torch.distributed as dist


def at_checkpoints(model, optimizer, loader, save, save_every):
    for step, batch in enumerate(loader):
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % save_every == 0:
            save(model)
            dist.barrier()


def once_an_epoch(model, optimizer, loader, epochs):
    for _ in range(epochs):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        dist.barrier()


def download(rank, fetch):
    if rank != 0:
        dist.barrier()
    data = fetch()
    if rank == 0:
        dist.barrier()
    return data




def start():
    dist.init_process_group("nccl")
    dist.barrier()


def before_a_broadcast(tensor):
    dist.barrier()
    dist.broadcast(tensor, 0)


def other_group(tensor, group):
    dist.barrier()
    dist.all_reduce(tensor, group=group)


def threads(workers):
    for worker in workers:
        worker.barrier()
    return torch.zeros(())
