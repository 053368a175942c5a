"""Samplers: what chooses which items of a dataset a loader yields, and in which order."""

from __future__ import annotations

DISTRIBUTED = ("DistributedSampler", "StatefulDistributedSampler")
"""Classes that give each process its share of the data."""
DISTRIBUTED_CALLS = tuple(
    f"{package}.*.{name}" for package in ("torch.utils.data", "torchdata") for name in DISTRIBUTED
)
"""The same, in the notation of `CallRule.on`."""
DRAWN = "RandomSampler"
"""Draws with replacement as many items as it is told."""
NAMES = (*DISTRIBUTED, DRAWN)
ORIGIN = r"^torch\.utils\.data\.(\w+\.)*\w*Sampler$"
"""A pattern of the dotted origins of PyTorch's samplers."""
