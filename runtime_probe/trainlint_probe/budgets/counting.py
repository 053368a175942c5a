"""Counts calls that make the host wait for the device, at the user's lines, for the budgets that are open.

The calls are replaced only while a budget is open. What Python calls by name is seen, as everywhere in the probe; what
happens inside of PyTorch's own C++ is not. Which names these are stands in `trainlint_probe.watch.calls`.

Where no accelerator is in use, reads of CPU tensors by the user's own lines are counted: with the model on an
accelerator they would wait for it. What libraries read of CPU tensors (AdamW its number of steps) and what a DataLoader
computes stays on the CPU in any case, and is not counted.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from time import perf_counter_ns
from types import FrameType
from typing import Any

import torch
from torch.compiler import is_dynamo_compiling as is_compiling
from torch.utils.data import DataLoader, dataloader

from trainlint_probe.budgets.account import DATA_WAIT, PAGEABLE, SYNCS, Account, Charge, open_accounts, reason_for
from trainlint_probe.watch.calls import DEVICE_MODULES, READING_FUNCTIONS, READING_METHODS, keep_scriptable
from trainlint_probe.watch.lines import Lines, frame_at
from trainlint_probe.watch.patches import Patches

NO_LIMITS: tuple[str, ...] = ()

Function = Callable[..., Any]
Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
Judge = Callable[["Counting", Arguments, Keywords, Any, FrameType], tuple[str, ...]]
"""Which limits a call counts for, by its arguments, its result and the frame that makes it."""

_SIZED_BY_DATA = ("argwhere", "bincount")
"""Methods whose result's size depends on data, besides the reading ones."""
_WAITS_FOR_NOTHING = ("numpy",)
"""It takes tensors of the CPU only: what is on a device has to come by another call first."""


class _Present(threading.local):
    """What a thread is doing."""

    def __init__(self) -> None:
        self.is_inside = False
        """A counted call runs: what it calls in turn is part of it."""
        self.is_loading = False
        """A DataLoader makes a batch."""


_present = _Present()


class Counting:
    """The replaced calls of one process."""

    def __init__(self, lines: Lines) -> None:
        """`lines` tells the user's code from libraries."""
        self.lines = lines

    def install(self, patches: Patches, *, functions: bool) -> None:
        """Replace the calls.

        `functions`: those of torch as well, such as `torch.equal`. torch.compile checks that a function which it has
        met is still the same, and compiles again where it is not: they may be replaced for a whole run only.
        """
        tensor = torch.Tensor
        for name in (*READING_METHODS, *_SIZED_BY_DATA):
            if name not in _WAITS_FOR_NOTHING:
                self._put(patches, tensor, name, f"Tensor.{name}", _reads)
        for name in READING_FUNCTIONS if functions else ():
            self._put(patches, torch, name, f"torch.{name}", _reads)
            keep_scriptable(name)
        self._put(patches, tensor, "__getitem__", "indexing by a mask", _reads_mask)
        self._put(patches, tensor, "__setitem__", "assignment by a mask", _writes_mask)
        for name in ("to", "cuda"):
            self._put(patches, tensor, name, f"Tensor.{name}", _moves)
        self._put(patches, tensor, "copy_", "Tensor.copy_", _fills)
        for module in DEVICE_MODULES:
            self._put(patches, getattr(torch, module, None), "synchronize", f"torch.{module}.synchronize", _waits)
        for name in ("Event", "Stream"):
            self._put(patches, getattr(torch.cuda, name), "synchronize", f"torch.cuda.{name}.synchronize", _waits)
        iterator = dataloader._BaseDataLoaderIter  # noqa: SLF001 - the one place that all batches come from
        for owner, name in ((DataLoader, "__iter__"), (iterator, "__next__")):
            patches.put(owner, name, self._loading(f"DataLoader.{name}", getattr(owner, name)))

    def _put(self, patches: Patches, owner: Any, name: str, what: str, judge: Judge) -> None:
        function = getattr(owner, name, None)
        if function is not None:
            patches.put(owner, name, self._counted(what, judge, function))

    def _counted(self, what: str, judge: Judge, function: Function) -> Function:
        present = _present

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if is_compiling() or present.is_inside:
                return function(*args, **kwargs)
            accounts = open_accounts()
            if not accounts:
                return function(*args, **kwargs)
            present.is_inside = True
            try:
                result = function(*args, **kwargs)
                frame = frame_at(1)
                for limit in judge(self, args, kwargs, result, frame):
                    self._charge(accounts, limit, what, frame)
            finally:
                present.is_inside = False
            return result

        return wrapper

    def _loading(self, what: str, function: Function) -> Function:
        """A DataLoader's own work: it is timed, and what it reads is no wait for the device."""
        present = _present

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            accounts = () if present.is_loading else open_accounts()
            if not accounts:
                return function(*args, **kwargs)
            present.is_loading = True
            start = perf_counter_ns()
            try:
                return function(*args, **kwargs)
            finally:
                present.is_loading = False
                self._charge(accounts, DATA_WAIT, what, frame_at(1), perf_counter_ns() - start)

        return wrapper

    def _charge(self, accounts: tuple[Account, ...], limit: str, what: str, frame: FrameType, amount: int = 1) -> None:
        path, line, via = self.lines.caller(frame) or ("", 0, "")
        for account in accounts:
            account.charge(Charge(limit, path, line, what, via, reason_for(account)), amount)

    def reads(self, tensor: Any, frame: FrameType) -> bool:
        """Whether a read of a tensor waits, or would wait with the model on an accelerator."""
        if not isinstance(tensor, torch.Tensor) or tensor.device.type == "meta":
            return False
        if not tensor.is_cpu:
            return True
        if _present.is_loading or self.lines.is_by_a_library(frame):
            return False
        if not uses_accelerator():
            return True
        for account in open_accounts():
            account.on_host += 1
        return False


def uses_accelerator() -> bool:
    """Whether this process has begun to use a device besides the CPU."""
    return torch.cuda.is_initialized() or _has_other_accelerator()


@functools.cache
def _has_other_accelerator() -> bool:
    """Whether there is one that is no CUDA device. Their modules do not all tell whether they are in use."""
    return any(module.is_available() for name in ("xpu", "mps") if (module := getattr(torch, name, None)) is not None)


def _reads(counting: Counting, args: Arguments, kwargs: Keywords, result: Any, frame: FrameType) -> tuple[str, ...]:
    tensor = args[0] if args else kwargs.get("input")
    return (SYNCS,) if counting.reads(tensor, frame) else NO_LIMITS


def _reads_mask(
    counting: Counting, args: Arguments, kwargs: Keywords, result: Any, frame: FrameType
) -> tuple[str, ...]:
    """`x[mask]`: how many elements there are is known on the device only."""
    mask = _mask_in(args[1])
    return (SYNCS,) if mask is not None and counting.reads(mask, frame) else NO_LIMITS


def _writes_mask(
    counting: Counting, args: Arguments, kwargs: Keywords, result: Any, frame: FrameType
) -> tuple[str, ...]:
    """`x[mask] = y`; with one number for all elements nothing need be known."""
    value = args[2]
    if not isinstance(value, torch.Tensor) or value.numel() == 1:
        return NO_LIMITS
    return _reads_mask(counting, args, kwargs, result, frame)


def _mask_in(index: Any) -> torch.Tensor | None:
    """A mask among the indices of a subscript."""
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8) and part.dim():
            return part
    return None


def _moves(counting: Counting, args: Arguments, kwargs: Keywords, moved: Any, frame: FrameType) -> tuple[str, ...]:
    source = args[0]
    if not hasattr(moved, "device"):  # of a subclass of tensors, which may give anything
        return NO_LIMITS
    asynchronous = kwargs.get("non_blocking", False) or _asks_asynchronously(args[1:])
    if source.device == moved.device or "meta" in (source.device.type, moved.device.type):
        return NO_LIMITS
    if source.is_cpu:
        pageable = () if source.is_pinned() else (PAGEABLE,)
        return pageable if asynchronous else (SYNCS, *pageable)
    if moved.is_cpu:  # PyTorch copies into pinned memory where the copy is to be asynchronous
        return NO_LIMITS if asynchronous else (SYNCS,)
    return NO_LIMITS


def _asks_asynchronously(args: Arguments) -> bool:
    """`x.to(device, dtype, True)`, `x.to(device, True)` or `x.cuda(device, True)`: the first switch is this."""
    return next((argument for argument in args if isinstance(argument, bool)), False)


def _fills(counting: Counting, args: Arguments, kwargs: Keywords, filled: Any, frame: FrameType) -> tuple[str, ...]:
    source = args[1] if len(args) > 1 else kwargs.get("src", kwargs.get("other"))
    if not isinstance(source, torch.Tensor) or source.is_cpu == filled.is_cpu:
        return NO_LIMITS
    if "meta" in (source.device.type, filled.device.type):
        return NO_LIMITS
    on_host = source if source.is_cpu else filled
    asynchronous = kwargs.get("non_blocking", False) or _asks_asynchronously(args[2:])
    pageable = () if on_host.is_pinned() else (PAGEABLE,)
    return pageable if asynchronous else (SYNCS, *pageable)


def _waits(counting: Counting, args: Arguments, kwargs: Keywords, result: Any, frame: FrameType) -> tuple[str, ...]:
    return (SYNCS,)
