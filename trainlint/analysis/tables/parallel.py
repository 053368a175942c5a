"""Classes and functions that wrap a model for several devices. Sources: torch 1.13 to 2.13, fairscale, mmengine."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple


class Wrapper(Enum):
    """What a wrapped model is."""

    DATA_PARALLEL = auto()
    """One process drives all devices."""
    DDP = auto()
    """Each rank keeps the whole model."""
    FSDP1 = auto()
    """Each rank keeps a piece of the flattened parameters."""
    FSDP2 = auto()
    """Each parameter becomes a DTensor, of which each rank keeps a piece."""


class ModelWrapper(NamedTuple):
    """One class or function that wraps a model."""

    name: str
    wrapper: Wrapper
    packages: str
    """The packages that have it, separated by spaces."""
    origins: tuple[str, ...] = ()
    """Its dotted origins in PyTorch, the public one first."""
    short: str = ""
    """The name under which people import it."""


_FSDP2 = ("torch.distributed.fsdp", "torch.distributed._composable.fsdp", "torch.distributed.fsdp._fully_shard")
_WRAPPERS = (
    ModelWrapper(
        "DataParallel",
        Wrapper.DATA_PARALLEL,
        "torch",
        ("torch.nn.DataParallel", "torch.nn.parallel.DataParallel", "torch.nn.parallel.data_parallel.DataParallel"),
    ),
    ModelWrapper(
        "DistributedDataParallel",
        Wrapper.DDP,
        "torch apex",
        ("torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.distributed.DistributedDataParallel"),
        short="DDP",
    ),
    ModelWrapper("MMDistributedDataParallel", Wrapper.DDP, "mmengine mmcv"),
    ModelWrapper(
        "FullyShardedDataParallel",
        Wrapper.FSDP1,
        "torch fairscale",
        (
            "torch.distributed.fsdp.FullyShardedDataParallel",
            "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
        ),
        short="FSDP",
    ),
    ModelWrapper("ShardedDataParallel", Wrapper.FSDP1, "torch fairscale"),
    # The old `torch.distributed._composable.fully_shard` was something else.
    ModelWrapper(
        "fully_shard",
        Wrapper.FSDP2,
        "torch fairscale",
        tuple(f"{module}{path}.fully_shard" for module in _FSDP2 for path in ("", ".fully_shard")),
    ),
)
WRAPPERS: dict[str, ModelWrapper] = {row.name: row for row in _WRAPPERS}
NAMES = tuple(name for row in _WRAPPERS for name in (row.name, row.short) if name)
_CALLED = frozenset(NAMES)


def origins_of(*wrappers: Wrapper) -> tuple[str, ...]:
    """The dotted origins of PyTorch's wrappers of these kinds."""
    return tuple(origin for row in _WRAPPERS if row.wrapper in wrappers for origin in row.origins)


def called_as(*wrappers: Wrapper) -> frozenset[str]:
    """The last names by which people call PyTorch's wrappers of these kinds."""
    rows = [row for row in _WRAPPERS if row.wrapper in wrappers and row.origins]
    return frozenset(name for row in rows for name in (row.name, row.short) if name)


def name_of(wrapper: Wrapper) -> str:
    """What people call PyTorch's wrapper of a kind: "DDP", "FSDP", "fully_shard"."""
    row = next(row for row in _WRAPPERS if row.wrapper is wrapper)
    return row.short or row.name


def wraps_model(name: str) -> bool:
    """Whether a call of this last name hands back a model around the one that it is given."""
    return name in _CALLED


DDP_ORIGINS = origins_of(Wrapper.DDP)
DATA_PARALLEL_ORIGINS = origins_of(Wrapper.DATA_PARALLEL)
