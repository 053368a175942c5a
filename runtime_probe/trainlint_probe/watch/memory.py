"""What memory is held at the end of a step: of the device, as PyTorch's allocator counts it, which asks nothing of the
device; without one, of the process, as the C library's allocator counts it.

The memory that the system says a process has (RSS) is no such count: what was freed stays in it. Over thirty steps of
trainings on a CPU it grew by up to 40 KiB a step where nothing was kept, and by 0.3 where graphs were.
"""

from __future__ import annotations

import ctypes
import gc
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter_ns
from typing import Any

import torch

from trainlint.evidence.run import Memory
from trainlint_probe.watch.calls import accelerator

_SHARE = 200
"""The C library is asked only after so many times the time that it took to answer last: where a heap is in a hundred
thousand pieces, it counts them for 40 ms."""
_LAST = 5
_TRIAL, _TRIAL_BYTES = 16, 1 << 16
"""Tensors, and the size of each. Beyond 128 KiB, glibc would take more from the heap and less from the system ever
after, once they are freed: the training would no longer be what it is without us."""
_TRIALS = 3
"""Other threads may free memory during a trial. They will not in each of these."""


class NotCounted(Exception):  # named for what it says of the heap
    """The heap of this process tells nothing of its tensors; the message says why, as the end of a sentence."""


class _Counts(ctypes.Structure):
    """The C library's `struct mallinfo2`."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


class Reader:
    """Reads it at each mark."""

    def __init__(self) -> None:
        self._heap: Callable[[], int] | None = None
        self._took: deque[int] = deque(maxlen=_LAST)
        """Nanoseconds of the last answers. The quickest counts: others were interrupted."""
        self._not_before = 0
        self._was_asked = False
        self.not_measured = ""
        """Why the memory of this run is not known, as a sentence for its notes; empty where it is known."""

    def read(self) -> Memory | None:
        """What is held now; None where that is not known, or would take too long to ask."""
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            self.not_measured = ""
            return of_device()
        if accelerator() not in ("", "cuda"):
            return None
        if not self._was_asked:
            self._was_asked = True
            gc.collect()  # what the start has left behind would be freed in some step, and hide what steps keep
            try:
                self._heap = heap()
            except NotCounted as reason:
                self.not_measured = f"Memory could not be measured: {reason}."
        if self._heap is None or perf_counter_ns() < self._not_before:
            return None
        start = perf_counter_ns()
        held = Memory(allocated=self._heap())
        end = perf_counter_ns()
        self._took.append(end - start)
        self._not_before = end + _SHARE * min(self._took)
        return held


def of_device() -> Memory | None:
    """The counters of the present device."""
    counters: dict[str, Any] = torch.cuda.memory_stats_as_nested_dict()
    if not counters:
        return None  # allocators that are not torch's own count nothing
    return Memory(
        allocated=counters["allocated_bytes"]["all"]["current"],
        reserved=counters["reserved_bytes"]["all"]["current"],
        inactive_split=counters["inactive_split_bytes"]["all"]["current"],
        peak=counters["allocated_bytes"]["all"]["peak"],
        retries=counters["num_alloc_retries"],
        out_of_memory=counters["num_ooms"],
        device_allocations=counters.get("num_device_alloc"),
        device_frees=counters.get("num_device_free"),
    )


def heap() -> Callable[[], int]:
    """Counts the bytes that the process holds of the C library's heap, in which tensors of the CPU lie.

    Raises NotCounted where there is no such count, or where tensors lie elsewhere, as with jemalloc: whether they do is
    tried.
    """
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError, TypeError):
        raise NotCounted("the C library of this system does not count its heap (glibc does since 2.33)") from None
    ask.restype = _Counts

    def held() -> int:
        counts = ask()
        return int(counts.uordblks + counts.hblkhd)

    due = _TRIAL * _TRIAL_BYTES
    counted = 0
    for _ in range(_TRIALS):
        counted = _counted_of_trial(held)
        if 2 * counted >= due:
            return held
    raise NotCounted(
        f"of {due >> 10} KiB of tensors, the C library counted {counted >> 10} KiB in its heap; another allocator, "
        "such as jemalloc, may hold them"
    )


def _counted_of_trial(held: Callable[[], int]) -> int:
    """By how many bytes the count grows where `_TRIAL` tensors are made."""
    with _no_collection():
        before = held()
        trial = [torch.empty(_TRIAL_BYTES, dtype=torch.uint8, device="cpu") for _ in range(_TRIAL)]
        grown = held() - before
    del trial
    return grown


@contextmanager
def _no_collection() -> Iterator[None]:
    """Python collects no garbage meanwhile: the tensors that it frees would be missing from the count."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
