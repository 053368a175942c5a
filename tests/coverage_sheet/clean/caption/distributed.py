"""Process groups, and what goes between ranks."""

import os

import torch.distributed as dist

os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "1"


def is_main():
    return dist.get_rank() == 0


def gather_weights(flat, shard, group=None):
    dist.all_gather_into_tensor(flat, shard, group=group)
    return flat


def mean_over_ranks(value):
    """The mean of a tensor over all ranks."""
    dist.all_reduce(value)
    return value / dist.get_world_size()


def my_part(gradients, world_size):
    """The sum of what all ranks have, cut down to this rank's part."""
    part = gradients.new_empty((gradients.shape[0] // world_size, *gradients.shape[1:]))
    dist.reduce_scatter_tensor(part, gradients.contiguous())
    return part


def summed_counts(counts):
    counts = counts.float()
    dist.all_reduce(counts)
    return counts / counts.sum()


def report_loss(loss, step):
    """Print the mean loss of all ranks."""
    dist.all_reduce(loss)
    if dist.get_rank() == 0:
        print(f"step {step}: loss {loss / dist.get_world_size()}")
