"""Models that are sent once, or whose copies are needed before."""

import copy

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def by_hand(model):
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    return model


def copied_in_between(model, rank):
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    average = copy.deepcopy(model)
    return DDP(model, device_ids=[rank]), average


def of_another_rank(model, rank, owner, group):
    for p in model.parameters():
        dist.broadcast(p.data, owner)
    for p in model.parameters():
        dist.broadcast(p.data, 0, group=group)
    return DDP(model, device_ids=[rank], process_group=group)


def of_the_best_rank(model, rank, best):
    for p in model.parameters():
        dist.broadcast(p.data, best)
    return DDP(model, device_ids=[rank])


def counted(model, rank):
    sent = 0
    for p in model.parameters():
        dist.broadcast(p.data, 0)
        sent += p.numel()
    return DDP(model, device_ids=[rank]), sent


def of_buffers(model, rank):
    for tensor in model.state_dict().values():
        dist.broadcast(tensor, 0)
    return DDP(model, device_ids=[rank], broadcast_buffers=False)


def of_another_model(model, teacher, rank):
    for p in teacher.parameters():
        dist.broadcast(p.data, 0)
    return DDP(model, device_ids=[rank])


def after_the_wrap(model, rank):
    model = DDP(model, device_ids=[rank])
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    return model
