"""The time that a block waits for batches of PyTorch's DataLoader, charged to the budgets that are open."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from torch.utils.data import DataLoader, dataloader

from trainlint_probe.budgets.account import DATA_WAIT, charge, open_accounts
from trainlint_probe.watch.lines import Lines, frame_at
from trainlint_probe.watch.patches import Patches

_present = threading.local()
"""Whether a DataLoader makes a batch in this thread: what it calls in turn is part of it."""


def install(patches: Patches, lines: Lines) -> None:
    """Time what makes an iterator, and what draws from it."""
    iterator = dataloader._BaseDataLoaderIter  # noqa: SLF001 - the one place that all batches come from
    for owner, name in ((DataLoader, "__iter__"), (iterator, "__next__")):
        patches.put(owner, name, _timed(lines, f"DataLoader.{name}", getattr(owner, name)))


def _timed(lines: Lines, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if getattr(_present, "is_loading", False) or not open_accounts():
            return function(*args, **kwargs)
        _present.is_loading = True
        start = perf_counter_ns()
        try:
            return function(*args, **kwargs)
        finally:
            _present.is_loading = False
            charge((DATA_WAIT,), what, lines.caller(frame_at(1)), perf_counter_ns() - start)

    return wrapper
