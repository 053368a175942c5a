"""Several ranks, of which this process is one: the others are PyTorch's fake process group, which sends nothing."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import torch

from trainlint_probe.simulated.events import Kind, What
from trainlint_probe.simulated.operators import Operators
from trainlint_probe.watch.patches import Patches

Function = Callable[..., Any]


def install(patches: Patches, ranks: int, operators: Operators) -> None:
    """`init_process_group` makes a fake group of so many ranks from now on, whatever backend it is asked for."""
    if not torch.distributed.is_available():
        return
    from torch.distributed import distributed_c10d
    from torch.testing._internal.distributed.fake_pg import FakeStore

    own = distributed_c10d.init_process_group

    @functools.wraps(own)
    def fake(backend: Any = None, init_method: Any = None, timeout: Any = None, **words: Any) -> Any:
        world = int(os.environ.get("WORLD_SIZE", ranks))
        asked = words.get("world_size", -1)
        rank = words.get("rank", -1)
        return own(
            "fake",
            rank=rank if rank >= 0 else int(os.environ.get("RANK", "0")),
            world_size=asked if asked > 0 else world,
            store=FakeStore(),
        )

    patches.put(torch.multiprocessing, "spawn", _spawned)
    reducer = _reducer(torch.distributed.Reducer, operators)
    patches.put(torch.distributed, "Reducer", reducer)
    if operators.valueless is not None:
        patches.put(torch.distributed, "_verify_params_across_processes", _needs_values)
    for module in (distributed_c10d, torch.distributed):
        patches.put(module, "init_process_group", fake)
        patches.put(module, "get_backend", lambda group=None: "nccl")
        patches.put(module, "is_nccl_available", lambda: True)


def _spawned(function: Function, args: Any = (), *_: Any, **__: Any) -> None:
    """Of the processes that `torch.multiprocessing.spawn` would start, the first: in this one."""
    function(0, *args)


def _needs_values(*_: Any) -> None:
    """DistributedDataParallel begins by this, and its C++ reads tensors of the device."""
    raise NotImplementedError(
        "DistributedDataParallel needs values, and with --no-values the simulated GPU has none. Count the model "
        "without it, or with fully_shard."
    )


def _reducer(own: type, operators: Operators) -> type:
    """DistributedDataParallel's buckets lie where its parameters lie."""

    def reduced(_: Any, bucket: Any) -> Any:
        """All ranks have the same gradients, so that their mean is what this one has."""
        buffer = bucket.buffer()
        what = What(Kind.COLLECTIVE, "DistributedDataParallel: all_reduce", blocking=False)
        operators.log.note(what, buffer.numel() * buffer.element_size())
        future = torch.futures.Future()
        future.set_result(buffer)
        return future

    class Reducer(own):  # type: ignore[misc] # made of PyTorch's class
        def __init__(self, parameters: Any, *args: Any, **kwargs: Any) -> None:
            self.parameters = parameters
            with operators.around(parameters):
                super().__init__(parameters, *args, **kwargs)
            torch.distributed._register_comm_hook(self, None, reduced)

        def _rebuild_buckets(self) -> Any:
            with operators.around(self.parameters):
                return super()._rebuild_buckets()

    return Reducer
