"""The words for what a project uses somewhere, and one such use."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class FactKind(Enum):
    """What is used. What a literal switches off, as in `GradScaler(enabled=False)`, is no use of it."""

    AUTOCAST = "autocast"
    """Mixed precision: autocast itself, or a framework that is told to use it."""
    HALF_NAMED = "half-named"
    """The code names mixed precision or a type of 16 bits, if only as an option."""
    HALF_WEIGHTS = "half-weights"
    """The model's own weights are cast."""
    GRAD_SCALER = "grad-scaler"
    COMPILE = "compile"
    NO_SYNC = "no-sync"
    """Gradients are kept from being reduced in some backward passes."""
    DISTRIBUTED = "distributed"
    DDP = "ddp"
    DATA_PARALLEL = "data-parallel"
    FSDP = "fsdp"
    """Weights are sharded: FSDP, `fully_shard`, DeepSpeed's ZeRO. The detail says which."""
    SET_EPOCH = "set-epoch"
    DISTRIBUTED_SAMPLER = "distributed-sampler"
    TF32 = "tf32"
    """TF32 is spoken of, if only to ask for full precision."""
    CHANNELS_LAST = "channels-last"
    FRAMEWORK = "framework"
    """A framework is in charge of the loop, or of devices and precision in it. The detail is its name."""
    NETWORK = "network"
    """Layers that a device spends its time on are built. The detail says which: "conv2d", "conv3d", "attention", or
    "pretrained" for a whole network by its name. Counted once for each function."""
    GROUP_DESTROYED = "group-destroyed"
    """A process group is shut down."""


class Use(NamedTuple):
    """A use of something, wherever it stands."""

    kind: FactKind
    detail: str = ""
