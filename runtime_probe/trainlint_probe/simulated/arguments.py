"""What `Tensor.to` was asked for, in whichever of its forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch


class Move(NamedTuple):
    """The arguments of `Tensor.to`."""

    device: Any = None
    """A device, its name or its number; None where the tensor stays."""
    like: Any = None
    """The tensor whose device and type are meant; None where they are named."""
    dtype: Any = None
    non_blocking: bool = False
    copies: bool = False
    """Whether a new tensor is wanted in any case."""
    memory_format: Any = None


def move_of(args: Sequence[Any], words: Mapping[str, Any]) -> Move:
    """`x.to(device, dtype, non_blocking, copy)`, `x.to(dtype, non_blocking, copy)` or `x.to(other, non_blocking,
    copy)`; `args` are those behind the tensor.
    """
    rest = list(args)
    if "other" in words:
        rest.insert(0, words["other"])
    device, like, dtype = words.get("device"), None, words.get("dtype")
    first = rest[0] if rest else False
    if isinstance(first, torch.Tensor):
        like = rest.pop(0)
    elif isinstance(first, torch.dtype):
        dtype = rest.pop(0)
    elif not isinstance(first, bool):
        device = rest.pop(0)
        if rest and (rest[0] is None or isinstance(rest[0], torch.dtype)):
            dtype = rest.pop(0) or dtype
    non_blocking = rest.pop(0) if rest else words.get("non_blocking", False)
    copies = rest.pop(0) if rest else words.get("copy", False)
    return Move(device, like, dtype, non_blocking, copies, words.get("memory_format"))
