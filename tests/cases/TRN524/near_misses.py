"""Arguments that keep what is written into them, or that nobody needs."""

import torch
import torch.distributed as dist
import torch.distributed.nn


def views(weight):
    dist.broadcast(weight.data, 0)
    dist.all_reduce(weight.detach())
    dist.all_reduce(weight.view(-1))
    dist.all_reduce(weight[0])


def returns_itself(loss):
    dist.all_reduce(loss.div_(dist.get_world_size()))
    return loss


def meeting(device):
    dist.all_reduce(torch.zeros(1).cuda())
    dist.all_reduce(torch.ones(1, device=device) * 2)


def kept(scores):
    scores = scores.contiguous()
    dist.all_reduce(scores)
    return scores


def returned(scores):
    return torch.distributed.nn.all_reduce(scores / 2)


def only_the_sender(rank, weight, received):
    if rank == 0:
        dist.broadcast(weight.contiguous(), src=0)
    else:
        dist.broadcast(received, src=0)


def attribute(metric, name):
    dist.all_reduce(getattr(metric, name))


class Collective:
    def all_reduce(self, value):
        return value


def other(comm, value):
    comm.all_reduce(value / 2)
