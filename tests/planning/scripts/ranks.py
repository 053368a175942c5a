"""One rank of a small training under DDP or FSDP2: prints the bytes that its collectives handle in a step, as JSON.

    torchrun --nproc-per-node 2 -m tests.planning.scripts.ranks WAY ACCUMULATION

WAY is "ddp", "fsdp2" or "fsdp2-gathered".
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import distributed, nn
from torch.utils._python_dispatch import TorchDispatchMode

LAYERS, WIDTH = 4, 64


class _Counted(TorchDispatchMode):
    """Counts the bytes of the largest tensor of each collective: the whole that is reduced, gathered or scattered."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: Counter[str] = Counter()

    def __torch_dispatch__(
        self,
        func: Callable[..., object],
        types: tuple[type, ...],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        name = str(func)
        if name.startswith("c10d."):
            self.sizes[name.split(".")[1].strip("_")] += max(_sizes(args), default=0)
        return func(*args, **(kwargs or {}))


def _sizes(items: Iterable[object]) -> Iterable[int]:
    for item in items:
        if isinstance(item, torch.Tensor):
            yield item.numel() * item.element_size()
        elif isinstance(item, list | tuple):
            yield from _sizes(item)


def model() -> nn.Sequential:
    """Equal layers, so that each is gathered by itself."""
    return nn.Sequential(*(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(LAYERS)))


def counted(way: str, accumulation: int) -> Mapping[str, int]:
    """Bytes by collective in the second step, after what the first one sets up."""
    network: nn.Module = model()
    if way == "ddp":
        network = nn.parallel.DistributedDataParallel(network)
    else:
        from torch.distributed.fsdp import fully_shard

        for layer in network.children():
            fully_shard(layer, reshard_after_forward=way == "fsdp2")
        fully_shard(network, reshard_after_forward=way == "fsdp2")
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for step in range(2):
        counting = _Counted()
        with counting if step else nullcontext():
            for part in range(accumulation):
                with _unsynchronised(network) if part < accumulation - 1 else nullcontext():
                    network(torch.randn(2, WIDTH)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    return counting.sizes


def _unsynchronised(network: nn.Module) -> AbstractContextManager[object]:
    return network.no_sync() if isinstance(network, nn.parallel.DistributedDataParallel) else nullcontext()


if __name__ == "__main__":
    distributed.init_process_group("gloo")
    found = counted(sys.argv[1], int(sys.argv[2]))
    if distributed.get_rank() == 0:
        sys.stdout.write(f"{json.dumps(found)}\n")
        sys.stdout.flush()
    distributed.barrier()
    os._exit(0)  # taking gloo down after DDP aborts at times: in 2 of 48 runs with torch 2.13, in 0 of 80 without
