"""Process groups, and what goes between ranks."""

import os

import torch.distributed as dist

os.environ["NCCL_ASYNC_ERROR_HANDLING"] = "1"  #! TRN532


def is_main():
    return dist.get_rank() == 0


def gather_weights(flat, shard, group=None):
    dist._all_gather_base(flat, shard, group=group)  #! TRN812
    return flat


def mean_over_ranks(value):
    """The mean of a tensor over all ranks."""
    work = dist.all_reduce(value, async_op=True)
    work.wait()
    return value / dist.get_world_size()


def my_part(gradients, world_size):
    """The sum of what all ranks have, cut down to this rank's part."""
    rank = dist.get_rank()
    dist.all_reduce(gradients)
    return gradients.chunk(world_size)[rank]


def summed_counts(counts):
    dist.all_reduce(counts.float())
    return counts / counts.sum()


def report_loss(loss, step):
    """Print the mean loss of all ranks."""
    if dist.get_rank() == 0:
        dist.all_reduce(loss)
        print(f"step {step}: loss {loss / dist.get_world_size()}")
