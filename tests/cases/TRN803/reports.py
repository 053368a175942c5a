"""Memory reports of training scripts, in the names of PyTorch 1.3."""

import torch
from torch import cuda
from torch.cuda import max_memory_cached, synchronize
from torch.cuda import memory as device_memory


def log_memory(logger, step):
    megabytes = 1024 * 1024
    logger.info(
        "step %d: allocated %d, cached %d",
        step,
        torch.cuda.memory_allocated() // megabytes,
        torch.cuda.memory_cached() // megabytes,  #! TRN803
    )


class PeakMemory:
    def __enter__(self):
        cuda.reset_max_memory_allocated()  #! TRN803
        device_memory.reset_max_memory_cached(0)  #! TRN803
        return self

    def __exit__(self, *exception):
        self.peak = max_memory_cached()  #! TRN803
        synchronize()


STATISTICS = {"cached": torch.cuda.memory_cached}  #! TRN803
