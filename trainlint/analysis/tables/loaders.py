"""Data loaders, what is wrapped around them, and what prepares loaders and models for several devices."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.analysis.tables.host_reads import TO_PYTHON
from trainlint.analysis.tables.iterables import only_iterates

DATALOADER = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
"""The dotted origins of PyTorch's own loader."""
_STATEFUL = "torchdata.stateful_dataloader"
TORCH_ORIGINS = frozenset(
    (*DATALOADER, f"{_STATEFUL}.StatefulDataLoader", f"{_STATEFUL}.stateful_dataloader.StatefulDataLoader")
)
"""The dotted origins of the classes whose options are those of PyTorch's own loader."""
TORCH_CLASSES = frozenset(origin.rpartition(".")[2] for origin in TORCH_ORIGINS)
"""The last names of these classes, for the triggers of rules."""
CLASSES = (
    *sorted(TORCH_CLASSES),
    *"NodeLoader NeighborLoader LinkNeighborLoader WebLoader InfiniteDataLoader MultiEpochsDataLoader".split(),
    *("BucketIterator", "BPTTIterator"),
)
"""Classes whose objects yield batches."""
WRAPPERS = frozenset(
    "PrefetchLoader BackgroundGenerator MpDeviceLoader ParallelLoader Prefetcher DataPrefetcher data_prefetcher "
    "prefetch".split()
)
"""What is given a loader and yields its batches."""
PREPARING_IN_ORDER = ("prepare", "prepare_data_loader", "prepare_model", "setup", "setup_dataloaders")
"""Calls by which Accelerate, Fabric or Ray takes over loaders, models and optimizers, and hands them back in order."""
_PREPARING = (*PREPARING_IN_ORDER, "initialize")
NAMES = (*CLASSES, *WRAPPERS, *_PREPARING)
_COLLATES_TENSORS = frozenset({"default_collate", "default_data_collator"})


def is_loader_class(name: str) -> bool:
    """Whether a class of this name yields batches."""
    return name in CLASSES


def is_named_as_loader(name: str) -> bool:
    """Whether the name ends with that of a class which yields batches, as those of subclasses do."""
    return name.endswith(CLASSES)


def wraps_loader(name: str) -> bool:
    """Whether a class or function of this name is given a loader and yields its batches."""
    return name in WRAPPERS


def prepares(name: str) -> bool:
    """Whether a framework takes over what a call of this name is given."""
    return name in _PREPARING


def hands_back_in_order(name: str) -> bool:
    """Whether a framework's call of this name returns what it is given, prepared, in the same order."""
    return name in PREPARING_IN_ORDER


def collates_tensors(name: str) -> bool:
    """Whether a collate function of this name makes batches of plain tensors and containers of these."""
    return name in _COLLATES_TENSORS


_CHEAP = TO_PYTHON | frozenset(
    "tensor as_tensor from_numpy Tensor LongTensor FloatTensor BoolTensor stack long float int len dict "
    "clone astype copy rand randn randint zeros ones min max manual_seed super append is_tensor "
    "isinstance size numel dim".split()
)
"""Calls that make no item expensive."""


def only_picks(calls: Iterable[str]) -> bool:
    """Whether code that makes items only takes them out of what lies ready, by the last names of all that it calls."""
    return all(name in _CHEAP or only_iterates(name) for name in calls)
