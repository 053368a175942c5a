"""Tests for the type, and wrappers of other packages."""

from fairscale.nn import FullyShardedDataParallel as FairscaleFSDP
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def is_sharded(model):
    return isinstance(model, FSDP)


def build(model):
    return FairscaleFSDP(model)


def name(model: FSDP) -> str:
    return type(model).__name__
