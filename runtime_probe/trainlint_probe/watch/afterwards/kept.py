"""What a training keeps of its steps, where memory has grown in the window: tensors, and graphs of autograd."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

import torch

from trainlint.evidence.run import Alive, Memory


def count_alive(memory: Memory | None) -> Alive:
    """What is there now. Takes tenths of a second where there are many objects.

    Args:
        memory: what is held, once Python's garbage is gone.
    """
    tensors = [item for item in gc.get_objects() if issubclass(type(item), torch.Tensor)]
    with torch._C.DisableTorchFunctionSubclass():  # noqa: SLF001 - what a subclass does on top is none of our business
        graph = graph_size(map(_made_by, tensors))
    return Alive(tensors=len(tensors), graph_nodes=graph, memory=memory)


def graph_size(nodes: Iterable[Any]) -> int:
    """How many operations autograd remembers on behalf of some; None among them stands for none."""
    waiting = [node for node in nodes if node is not None]
    known = set(waiting)
    while waiting:
        for node, _ in waiting.pop().next_functions:
            if node is not None and node not in known:
                known.add(node)
                waiting.append(node)
    return len(known)


def _made_by(tensor: Any) -> Any:
    """The operation that made a tensor; None where none is remembered."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None  # a wrapper of torch.func that has outlived what it wraps
