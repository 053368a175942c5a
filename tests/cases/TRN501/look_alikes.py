"""Gathers into lists that are right as they are."""

import torch
import torch.distributed as dist
import torch.distributed.nn


def sizes_of_all(size):
    sizes = [torch.zeros_like(size) for _ in range(dist.get_world_size())]
    dist.all_gather(sizes, size)
    return [int(each) for each in sizes]


def ragged(x, sizes):
    parts = [x.new_empty((size, x.shape[1])) for size in sizes]
    dist.all_gather(parts, x)
    return torch.cat(parts)


def padded(x, size, longest):
    parts = [x.new_empty((longest,)) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    return torch.cat([part[:size] for part in parts])


def trimmed(x, sizes):
    parts = [torch.zeros_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    parts = [part[:size] for part, size in zip(parts, sizes)]
    return torch.cat(parts)


def views_of_one_buffer(x, world_size):
    buffer = x.new_empty((world_size, *x.shape))
    parts = [buffer[index] for index in range(world_size)]
    dist.all_gather(parts, x)
    return torch.cat(parts)


def own_tensor_in_the_list(x, rank, world_size):
    parts = [x if index == rank else torch.empty_like(x) for index in range(world_size)]
    dist.all_gather(parts, x)
    return torch.cat(parts)


def own_tensor_put_in_first(x, rank, world_size):
    parts = [torch.empty_like(x) for _ in range(world_size)]
    parts[rank] = x
    dist.all_gather(parts, x)
    return torch.cat(parts)


def another_template(image, text, world_size):
    parts = [torch.zeros_like(text) for _ in range(world_size)]
    dist.all_gather(parts, image)
    return torch.cat(parts)


def replaced_by_other_values(x, local, rank, world_size):
    parts = [torch.zeros_like(x) for _ in range(world_size)]
    dist.all_gather(parts, x)
    parts[rank] = local
    return torch.cat(parts)


def kept(x, world_size, history):
    parts = [torch.zeros_like(x) for _ in range(world_size)]
    dist.all_gather(parts, x)
    history.append(parts)
    return torch.cat(parts)


def reused(chunks, world_size):
    parts = [torch.zeros_like(chunks[0]) for _ in range(world_size)]
    joined = []
    for chunk in chunks:
        dist.all_gather(parts, chunk)
        joined.append(torch.cat(parts))
    return joined


def with_gradient(x):
    return torch.cat(torch.distributed.nn.all_gather(x), dim=0)


def counts_of_all(rows, group, world_size, device):
    count = torch.tensor([rows.shape[0]], dtype=torch.int64, device=device)
    counts = [torch.empty_like(count) for _ in range(world_size)]
    dist.all_gather(counts, count, group=group)
    return torch.cat(counts)


def flags_of_all(mask, world_size):
    has_mask = torch.tensor(1.0 if mask is None else 0.0).cuda()
    flags = [torch.zeros_like(has_mask) for _ in range(world_size)]
    dist.all_gather(flags, has_mask)
    return torch.stack(flags)


def where_it_exists(x, world_size):
    if hasattr(dist, "all_gather_into_tensor"):
        output = x.new_empty((world_size * x.shape[0], *x.shape[1:]))
        dist.all_gather_into_tensor(output, x)
        return output
    parts = [torch.empty_like(x) for _ in range(world_size)]
    dist.all_gather(parts, x)
    return torch.cat(parts)
