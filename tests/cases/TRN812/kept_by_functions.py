"""Old constructors behind a test for what a function or class of the file keeps: no version decides there."""

import torch


def gather(values, size):
    if not hasattr(gather, "buffer") or gather.buffer.numel() < size:
        gather.buffer = torch.cuda.ByteTensor(size)  #! TRN812
    gather.buffer[: len(values)] = values
    return gather.buffer


class Pool:
    pass


def pooled(size):
    if hasattr(Pool, "room"):
        return Pool.room
    Pool.room = torch.cuda.FloatTensor(size)  #! TRN812
    return Pool.room


def filled(size):
    ready = hasattr(filled, "ones")
    if not ready:
        filled.ones = torch.cuda.HalfTensor(size)  #! TRN812
    return filled.ones


def older(size, scaler):
    if not hasattr(torch, "full"):
        return torch.cuda.FloatTensor(size)
    if not hasattr(scaler, "unscale_"):
        return torch.cuda.DoubleTensor(size)
    return torch.full((size,), 0.0, device="cuda")
