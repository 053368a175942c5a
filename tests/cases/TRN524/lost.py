"""Results that are written into temporaries."""

import torch
import torch.distributed as dist


def by_layout(scores):
    dist.all_reduce(scores.contiguous())  #! TRN524
    return scores.softmax(dim=-1)


def by_type(half, group):
    torch.distributed.all_reduce(half.float(), op=dist.ReduceOp.SUM, group=group)  #! TRN524
    return half


def by_arithmetic(loss):
    dist.all_reduce(loss / dist.get_world_size())  #! TRN524
    return loss


def of_a_copy(weight):
    dist.broadcast(weight.clone(), src=0)  #! TRN524
    return weight


def of_a_sum(losses):
    dist.reduce(losses.sum(), dst=0)  #! TRN524
    return losses


def on_another_device(count):
    dist.all_reduce(count.cuda())  #! TRN524
    return count
