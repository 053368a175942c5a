"""Collectives that all ranks of their group reach."""

import torch.distributed as dist


def download(rank, fetch):
    if rank != 0:
        dist.barrier()
    data = fetch()
    if rank == 0:
        dist.barrier()
    return data


def both_sides(rank, data, parts):
    if rank == 0:
        dist.gather(data, parts, dst=0)
    else:
        dist.gather(data, None, dst=0)


def for_all(rank, loss):
    dist.all_reduce(loss)
    if rank == 0:
        print(loss)


def when_distributed(rank, loss):
    if rank != -1:
        dist.all_reduce(loss)
    return loss


def each_machine(local_rank, tensor, leaders):
    if local_rank == 0:
        dist.all_reduce(tensor, group=leaders)


def written_out_group(rank, tensor, first_group):
    if rank == 0:
        dist.broadcast(tensor, 0, first_group)


def alone_anyhow(rank, world_size, tensor):
    if rank == 0 and world_size == 1:
        dist.all_reduce(tensor)


def first_stage(stage, tensor):
    if stage.is_first_rank:
        dist.all_reduce(tensor)


def other_objects(rank, store):
    if rank == 0:
        store.barrier()
