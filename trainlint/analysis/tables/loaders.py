"""Data loaders, what is wrapped around them, and what prepares loaders and models for several devices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trainlint.analysis.tables.host_reads import TO_PYTHON
from trainlint.analysis.tables.iterables import only_iterates


class LoaderClass(NamedTuple):
    """A class whose objects yield batches."""

    name: str
    torch_origins: tuple[str, ...] = ()
    """The dotted origins under which it takes the options of PyTorch's own loader."""
    takes_device: bool = False
    """Whether it makes its batches on the device that it is given as `device`."""


class Preparation(NamedTuple):
    """A call by which Accelerate, Fabric, Ray or DeepSpeed takes over loaders, models and optimizers."""

    name: str
    in_order: bool = True
    """Whether it hands back what it is given, in the same order."""


DATALOADER = LoaderClass("DataLoader", ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"))
"""PyTorch's own, and classes of the same name that derive from it."""
_CLASSES = (
    DATALOADER,
    LoaderClass(
        "StatefulDataLoader",
        (
            "torchdata.stateful_dataloader.StatefulDataLoader",
            "torchdata.stateful_dataloader.stateful_dataloader.StatefulDataLoader",
        ),
    ),
    LoaderClass("NodeLoader"),
    LoaderClass("NeighborLoader"),
    LoaderClass("LinkNeighborLoader"),
    LoaderClass("WebLoader"),
    LoaderClass("InfiniteDataLoader"),
    LoaderClass("MultiEpochsDataLoader"),
    LoaderClass("BucketIterator", takes_device=True),
    LoaderClass("BPTTIterator", takes_device=True),
)
WRAPPERS = frozenset(
    {
        "PrefetchLoader",
        "BackgroundGenerator",
        "MpDeviceLoader",
        "ParallelLoader",
        "Prefetcher",
        "DataPrefetcher",
        "data_prefetcher",
        "prefetch",
    }
)
"""What is given a loader and yields its batches."""
PREPARE_MODEL = Preparation("prepare_model")
_PREPARATIONS = (
    Preparation("prepare"),
    Preparation("prepare_data_loader"),
    PREPARE_MODEL,
    Preparation("setup"),
    Preparation("setup_dataloaders"),
    Preparation("initialize", in_order=False),
)
CLASSES: dict[str, LoaderClass] = {row.name: row for row in _CLASSES}
PREPARATIONS: dict[str, Preparation] = {row.name: row for row in _PREPARATIONS}
NAMES = (*CLASSES, *WRAPPERS, *PREPARATIONS)
TORCH_ORIGINS = frozenset(origin for row in _CLASSES for origin in row.torch_origins)
"""The dotted origins of the classes whose options are those of PyTorch's own loader."""
TORCH_CLASSES = frozenset(row.name for row in _CLASSES if row.torch_origins)
"""The last names of these classes, for the triggers of rules."""
_COLLATES_TENSORS = frozenset({"default_collate", "default_data_collator"})


def is_loader_class(name: str) -> bool:
    """Whether a class of this name yields batches."""
    return name in CLASSES


def takes_device(name: str) -> bool:
    """Whether a class of this name makes its batches on the device that it is given as `device`."""
    row = CLASSES.get(name)
    return row is not None and row.takes_device


def is_named_as_loader(name: str) -> bool:
    """Whether the name ends with that of a class which yields batches, as those of subclasses do."""
    return name.endswith(tuple(CLASSES))


def wraps_loader(name: str) -> bool:
    """Whether a class or function of this name is given a loader and yields its batches."""
    return name in WRAPPERS


def prepares(name: str) -> bool:
    """Whether a framework takes over what a call of this name is given."""
    return name in PREPARATIONS


def hands_back_in_order(name: str) -> bool:
    """Whether a framework's call of this name returns what it is given, prepared, in the same order."""
    row = PREPARATIONS.get(name)
    return row is not None and row.in_order


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
