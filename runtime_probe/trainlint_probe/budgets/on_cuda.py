"""Budgets on a real GPU: CUDA warns of each wait, and what it does not warn of is seen at its function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.compiler import is_dynamo_compiling as is_compiling

from trainlint_probe.budgets.account import PAGEABLE, SYNCS, charge
from trainlint_probe.watch.cuda_waits import CudaWaits
from trainlint_probe.watch.lines import Lines, frame_at
from trainlint_probe.watch.patches import Patches

_COPYING = ("to", "cuda", "cpu", "copy_")
"""Methods of tensors that copy between host and device."""
_UNTOLD = {"torch.cuda.synchronize": torch.cuda, "torch.cuda.Event.synchronize": torch.cuda.Event}
"""Functions that wait without a warning → what has them."""


class OnCuda:
    """What is charged to the budgets that are open, as long as it is on."""

    def __init__(self, lines: Lines) -> None:
        """`lines` tells the user's code from libraries."""
        self._lines = lines
        self.waits = CudaWaits(self._waited)

    def install(self, patches: Patches) -> None:
        """Replace what CUDA does not warn of. `waits.start` turns its warnings on."""
        for what, owner in _UNTOLD.items():
            patches.put(owner, "synchronize", self._wrapped(what, owner.synchronize, _waits))
        for name in _COPYING:
            patches.put(torch.Tensor, name, self._wrapped(f"Tensor.{name}", getattr(torch.Tensor, name), _pageable))

    def _waited(self, frame: FrameType) -> None:
        charge((SYNCS,), "wait for the GPU", self._lines.caller(frame))

    def _wrapped(self, what: str, function: Callable[..., Any], judge: Callable[..., tuple[str, ...]]) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            if is_compiling():
                return result
            if limits := judge(args, kwargs, result):
                charge(limits, what, self._lines.caller(frame_at(1)))
            return result

        return wrapper


def _waits(args: Any, kwargs: Any, result: Any) -> tuple[str, ...]:
    return (SYNCS,)


def _pageable(args: Any, kwargs: Any, result: Any) -> tuple[str, ...]:
    """A copy between a CUDA device and memory of the host that is not pinned."""
    source = args[0]
    if result is source:  # `copy_` fills it; else it was there already
        source = args[1] if len(args) > 1 else kwargs.get("src", kwargs.get("other"))
    if not isinstance(source, torch.Tensor) or not isinstance(result, torch.Tensor):
        return ()
    host = result if source.is_cuda else source
    if source.is_cuda == result.is_cuda or not host.is_cpu or not host.numel() or host.is_pinned():
        return ()
    return (PAGEABLE,)
