"""The device's allocator at the end of a step, as torch counts it. Reading the counters asks nothing of the device."""

from __future__ import annotations

from typing import Any

import torch

from trainlint.evidence import Memory


def read() -> Memory | None:
    """The counters of the present device; None without an accelerator, or before it is used."""
    if not torch.cuda.is_available() or not torch.cuda.is_initialized():
        return None
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
