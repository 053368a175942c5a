"""What it takes a training to receive a batch from a worker process: tried with a copy of one, by PyTorch's own loader.

A worker writes the tensors of a batch to shared memory; the training is told where, maps that memory, and asks for the
next batch. That is the least that workers cost a step, whatever they hide.
"""

from __future__ import annotations

import multiprocessing
import sys
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns, sleep
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

from trainlint_probe.simulated.places import tensors

_TIMES = 12
_FIRST = 2
"""Batches that are not timed: the worker is still starting."""
_PATIENCE_S = 10.0
_LARGEST = 1 << 30
"""Bytes. A copy of a larger batch may be more than there is room for."""
_PLAIN = (bool, int, float, str, bytes, type(None))


@dataclass(frozen=True, slots=True)
class Handover:
    """One batch, from a worker process to the training."""

    ms: float
    bytes: int


def handover(batch: Any) -> Handover | None:
    """What it takes to receive a batch like this one. None where it cannot be tried: where processes are not forked, or
    the batch holds what is no plain data, lies on a device or is very large.
    """
    # To ask for the default would choose it, and the script may choose another later.
    if not sys.platform.startswith("linux") or multiprocessing.get_start_method(allow_none=True) not in (None, "fork"):
        return None
    try:
        copied = _copy(batch)
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors((copied,)))
        return Handover(_received(copied), size) if size <= _LARGEST else None
    except (_NotPlain, RuntimeError, OSError):
        return None  # among others where there is no room in /dev/shm


class _NotPlain(Exception):  # not for people
    """A batch holds something that cannot be copied without asking the user's code."""


class _Same(Dataset):  # type: ignore[misc]  # mypy does not read torch
    """The same batch again and again, copied each time, as a worker makes a new one each time."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def __len__(self) -> int:
        return _TIMES

    def __getitem__(self, index: int) -> Any:
        return _copy(self.batch)


def _received(batch: Any) -> float:
    """Milliseconds: the median of some batches that are there before they are asked for."""
    # No batch size: the dataset gives whole batches. A worker that cannot write one is given up after the timeout.
    loader = DataLoader(
        _Same(batch), batch_size=None, num_workers=1, timeout=_PATIENCE_S, multiprocessing_context="fork"
    )
    batches = iter(loader)
    times = []
    for number in range(_TIMES):
        sleep(0.01)
        start = perf_counter_ns()
        received = next(batches)
        if number >= _FIRST:
            times.append(perf_counter_ns() - start)
        del received
    return median(times) / 1e6


def _copy(batch: Any) -> Any:
    """A copy of a batch of tensors, plain values and collections of these. Raises _NotPlain for anything else."""
    if type(batch) is torch.Tensor and batch.device.type == "cpu" and not batch.is_sparse:
        return batch.detach().clone()
    if isinstance(batch, _PLAIN):
        return batch
    if type(batch) is dict:
        return {key: _copy(value) for key, value in batch.items()}
    if type(batch) in (list, tuple):
        return type(batch)(map(_copy, batch))
    raise _NotPlain
