"""How long a GPU takes for one operator or copy, between the share of its peak that is usual at best and at worst."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from trainlint.planning.hardware import Gpu
from trainlint.planning.training import Precision
from trainlint_probe.simulated.events import Cause, What
from trainlint_probe.simulated.pricing.queue import KERNEL, Work
from trainlint_probe.simulated.pricing.work import Item

_REACHED = (0.9, 0.4)
"""The share of the roofline that operators reach."""
_PAGEABLE = 6e9
"""Bytes a second from pageable memory, which goes through a staging buffer; between 3 and 10 GB/s on most machines."""
_PINNED = 24e9
"""Bytes a second from pinned memory: PCIe 4.0 with 16 lanes."""


def timed(items: Sequence[Item], gpu: Gpu, name_of: Callable[[Cause], Hashable], *, tf32: bool = False) -> list[Work]:
    """The work of a step on a GPU. `name_of` says by what name the waits of a cause are priced together."""
    half, single = gpu.flops(Precision.BF16), gpu.flops(Precision.FP32)
    if tf32:
        single = max(single, half / 2)
    return [
        _operator(item, gpu, half, single) if item.what is None else _event(item, item.what, name_of) for item in items
    ]


def _operator(item: Item, gpu: Gpu, half: float, single: float) -> Work:
    peak = half if item.halved else single
    ideal = max(item.flops / peak, item.bytes / (gpu.bandwidth * 1e9))
    return Work((max(KERNEL, ideal / _REACHED[0]), max(KERNEL, ideal / _REACHED[1])), queued=item.queued)


def _event(item: Item, what: What, name_of: Callable[[Cause], Hashable]) -> Work:
    seconds = KERNEL + item.bytes / (_PAGEABLE if what.pageable else _PINNED)
    name = None if item.cause is None else name_of(item.cause)
    return Work((seconds, seconds), waits=what.blocking, name=name)
