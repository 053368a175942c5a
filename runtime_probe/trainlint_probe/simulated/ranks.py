"""Several ranks, of which this process is one: the others are PyTorch's fake process group, which sends nothing."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import torch

from trainlint_probe.simulated.events import Kind, What
from trainlint_probe.simulated.operators import REDUCER, Operators
from trainlint_probe.watch.patches import Patches

Function = Callable[..., Any]


def install(patches: Patches, operators: Operators) -> None:
    """`init_process_group` makes a fake group of a rank for each device, whatever backend it is asked for."""
    if not torch.distributed.is_available():
        return
    from torch.distributed import distributed_c10d
    from torch.testing._internal.distributed.fake_pg import FakeStore

    own = distributed_c10d.init_process_group

    @functools.wraps(own)
    def fake(backend: Any = None, init_method: Any = None, timeout: Any = None, **words: Any) -> Any:
        world = int(os.environ.get("WORLD_SIZE", len(operators.places.memory)))
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
    patches.put(torch.distributed, "_register_comm_hook", _registered)
    if operators.valueless is not None:
        verify = _verified(torch.distributed._verify_params_across_processes)
        patches.put(torch.distributed, "_verify_params_across_processes", verify)
    reduce = _reduced(distributed_c10d.all_reduce)
    for module in (distributed_c10d, torch.distributed):
        patches.put(module, "all_reduce", reduce)
        patches.put(module, "init_process_group", fake)
        patches.put(module, "get_backend", lambda group=None: "nccl")
        patches.put(module, "is_nccl_available", lambda: True)


def _spawned(function: Function, args: Any = (), *_: Any, **__: Any) -> None:
    """Of the processes that `torch.multiprocessing.spawn` would start, the first: in this one."""
    function(0, *args)


def _future(value: Any) -> Any:
    future = torch.futures.Future()
    future.set_result(value)
    return future


def _reduced(own: Function) -> Function:
    class Done(torch.distributed.Work):  # type: ignore[misc] # PyTorch is not read by mypy
        """What the fake group has done; the future of its own holds nothing."""

        def __init__(self, tensor: Any) -> None:
            super().__init__()
            self._tensor = tensor

        def wait(self, *_: Any, **__: Any) -> bool:
            return True

        def is_completed(self) -> bool:
            return True

        def get_future(self) -> Any:
            return _future([self._tensor])

    @functools.wraps(own)
    def all_reduce(tensor: Any, *args: Any, **words: Any) -> Any:
        return None if own(tensor, *args, **words) is None else Done(tensor)

    return all_reduce


def _registered(reducer: Any, state: Any, hook: Function) -> None:
    """PyTorch takes one hook for each reducer, which is ours."""
    reducer.hooks.append(functools.partial(hook, state))


def _verified(own: Function) -> Function:
    """Compares the shapes of all ranks, by values of the device: the shapes are told of tensors of the host."""

    def verify(group: Any, parameters: Any, *words: Any) -> Any:
        return own(group, [torch.empty(()).expand(each.shape) for each in parameters], *words)

    return verify


def _reducer(own: type, operators: Operators) -> type:
    """DistributedDataParallel's buckets lie where its parameters lie."""

    def reduced(hooks: list[Function], bucket: Any) -> Any:
        """All ranks have the same gradients, so that their mean is what this one has, unless the script has a way of
        its own.
        """
        if hooks:
            return hooks[0](bucket)
        buffer = bucket.buffer()
        what = What(Kind.COLLECTIVE, f"{REDUCER}: all_reduce", blocking=False)
        operators.log.note(what, buffer.numel() * buffer.element_size())
        return _future(buffer)

    register = torch.distributed._register_comm_hook

    class Reducer(own):  # type: ignore[misc] # made of PyTorch's class
        def __init__(self, parameters: Any, *args: Any, **kwargs: Any) -> None:
            self.parameters = parameters
            with operators.around(parameters, REDUCER):
                super().__init__(parameters, *args, **kwargs)
            self.hooks: list[Function] = []
            register(self, self.hooks, reduced)

        def _set_static_graph(self) -> None:
            with operators.around(self.parameters, REDUCER):
                super()._set_static_graph()

        def _rebuild_buckets(self) -> Any:
            with operators.around(self.parameters, REDUCER):
                return super()._rebuild_buckets()

    return Reducer
