"""Samplers: what chooses which items of a dataset a loader yields, and in which order."""

from __future__ import annotations

from trainlint.patterns import lazy

DISTRIBUTED = ("DistributedSampler", "StatefulDistributedSampler")
"""Classes that give each process its share of the data."""
DISTRIBUTED_CALLS = (
    "torch.utils.data.*.DistributedSampler",
    "torchdata.*.DistributedSampler",
    "torchdata.*.StatefulDistributedSampler",
)
"""The same, in the notation of `CallRule.on`."""
DRAWN = "RandomSampler"
"""Draws with replacement as many items as it is told."""
NAMES = (*DISTRIBUTED, DRAWN)
ORIGIN = r"^torch\.utils\.data\.(\w+\.)*\w*Sampler$"
"""A pattern of the dotted origins of PyTorch's samplers."""
DISTRIBUTED_ORIGIN = lazy(r"^torch\.utils\.data\.(distributed\.)?DistributedSampler$|^torchdata\..*DistributedSampler$")
"""The dotted origins of the classes that give each process its share."""
