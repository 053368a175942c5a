"""The new names, other devices, and code that chooses by version."""

import torch
import torch_npu


def current(device):
    if hasattr(torch.cuda, "memory_reserved"):
        return torch.cuda.memory_reserved(device)
    return torch.cuda.memory_cached(device)


class Meter:
    def __init__(self, backend):
        self.backend = backend

    def read(self):
        return self.backend.memory_cached() + torch_npu.npu.memory_cached()


def peak(device):
    try:
        value = torch.cuda.max_memory_reserved(device)
    except AttributeError:
        value = torch.cuda.max_memory_cached(device)
    torch.cuda.reset_peak_memory_stats(device)
    return value


def memory_cached(pool):
    return sum(block.size for block in pool)


print(memory_cached([]))
