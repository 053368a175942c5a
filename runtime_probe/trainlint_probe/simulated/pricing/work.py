"""What the host queues in a step, in order: operators with their operations and bytes, waits, and copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch.utils.flop_counter import flop_registry, sdpa_flop

from trainlint_probe.simulated.descriptions.description import Operator
from trainlint_probe.simulated.events import Cause, What
from trainlint_probe.simulated.places import Places, tensors


class Item(NamedTuple):
    """One thing that the host does for the device."""

    flops: float
    """Floating point operations of matrix products, convolutions and attention."""
    bytes: int
    """That the device reads and writes; of copies, those that are copied."""
    halved: bool
    """Whether the products are of 16 bits."""
    what: What | None = None
    """The wait or the copy; None for an operator."""
    cause: Cause | None = None
    """Whose it is."""
    queued: bool = True
    """Whether the host hands it over by itself, and not within a graph."""


class Recorder:
    """Takes down the work of some steps."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.items: list[Item] = []
        self.is_on = False

    def executed(self, operator: Operator, args: Any, out: Any) -> None:
        """An operator was queued."""
        if not self.is_on:
            return
        flops = _flops(operator.func, args, out)
        read, halved = 0, False
        for tensor in tensors((args, out) if isinstance(out, torch.Tensor | list | tuple) else args):
            small = self.places.is_halved(tensor)
            halved = halved or small or tensor.dtype in (torch.float16, torch.bfloat16)
            size = tensor.numel() * tensor.element_size()
            read += size // 2 if small else size
        self.items.append(Item(flops, read, halved, queued=operator.queued))

    def happened(self, what: What, size: int, cause: Cause) -> None:
        """The host waited or copied."""
        if self.is_on:
            self.items.append(Item(0.0, size, halved=False, what=what, cause=cause))

    def take(self) -> Sequence[Item]:
        """What was taken down so far, which is then forgotten."""
        items, self.items = self.items, []
        return items


def _flops(func: Any, args: Any, out: Any) -> float:
    count: Callable[..., int] | None = flop_registry.get(func._overloadpacket)
    name = func._schema.name
    try:
        if count is not None:
            return float(count(*args, out_val=out))
        if name == "aten::_scaled_dot_product_flash_attention_for_cpu":
            return float(sdpa_flop(*(tensor.shape for tensor in args[:3])))
        if name == "aten::_scaled_dot_product_flash_attention_for_cpu_backward":  # five products in place of two
            return 2.5 * float(sdpa_flop(*(tensor.shape for tensor in args[1:4])))
    except (TypeError, AssertionError, IndexError):
        return 0.0  # a form of the operator whose operations PyTorch's own counter does not know
    return 0.0
