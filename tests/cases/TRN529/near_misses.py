"""Sums that are needed as a whole, or cut otherwise."""

import torch
import torch.distributed as dist


def needed(flat, world_size, rank):
    dist.all_reduce(flat)
    return flat.chunk(world_size)[rank], flat.norm()


def first_part(flat):
    dist.all_reduce(flat)
    return flat.chunk(2)[0]


def some_rows(flat, count):
    dist.all_reduce(flat)
    return flat[:count]


def scattered(flat, world_size):
    part = flat.new_empty(flat.numel() // world_size)
    dist.reduce_scatter_tensor(part, flat)
    return part


def cut_before(flat, world_size, rank):
    part = flat.chunk(world_size)[rank]
    dist.all_reduce(part)
    return part


def other_tensor(flat, mask, rank):
    dist.all_reduce(mask)
    return torch.where(mask > 0, flat.chunk(2)[rank], 0)


def one_row(flat, index):
    dist.all_reduce(flat)
    return flat[index]


def offsets(sizes, rank):
    dist.all_reduce(sizes)
    return sizes[:rank].sum(), sizes[rank]
