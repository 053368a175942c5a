"""Operators where no values are computed: what lies on the GPU has a shape and a type, on PyTorch's device "meta".

Sizes that depend on values are the largest possible: a mask selects all, all elements are different. So memory is an
upper bound there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import prod
from types import FrameType
from typing import Any

import torch
from torch import nn

from trainlint_probe.simulated.descriptions.waiting import MASKS
from trainlint_probe.simulated.errors import needs_values
from trainlint_probe.simulated.events import DEVICE_TO_HOST, Kind, Log, What
from trainlint_probe.simulated.places import Places, tensors
from trainlint_probe.simulated.without_values.shapes import Shapes
from trainlint_probe.simulated.without_values.unknown import Numbers
from trainlint_probe.watch.patches import Patches

META = torch.device("meta")
LEAST = 1 << 20
"""Bytes from which on a tensor that a module makes on the host has no values either."""
_ANSWERS = {"equal": False, "allclose": True}
"""Operators that give a truth, and no tensor → the neutral one."""
_OF_MASKS = frozenset("index _unsafe_index".split())
_MADE = frozenset("empty zeros ones full rand randn".split())
"""Factories by which modules make parameters."""


class Valueless:
    """Runs operators without values."""

    def __init__(self, places: Places, log: Log) -> None:
        self.places = places
        self.log = log
        self.shapes = Shapes()
        self.numbers = Numbers(self.decided)

    def install(self, patches: Patches) -> None:
        """Let modules move parameters to "meta", and checkpoints leave out what there is not."""
        patches.put(torch.__future__, "get_swap_module_params_on_conversion", lambda: True)

        own = torch.Tensor._reduce_ex_internal

        def reduced(tensor: Any, protocol: int) -> Any:
            if tensor.untyped_storage().device.type != "meta":
                return own(tensor, protocol)
            if self.places.device(tensor) is not None:
                what = What(Kind.COPY, "torch.save", DEVICE_TO_HOST, pageable=True)
                self.log.note(what, tensor.untyped_storage().nbytes())
            shape = (tensor.dtype, tuple(tensor.size()), tensor.stride(), tensor.requires_grad)
            return torch._utils._rebuild_meta_tensor_no_storage, shape

        patches.put(torch.Tensor, "_reduce_ex_internal", reduced)

    def decided(self) -> None:
        """The line that runs now decides by a value."""
        self.log.guess(self.log.decided)

    def run(self, operator: str, func: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operator of which some tensors have no values.

        Raises:
            NotImplementedError: it cannot do without; the message is a sentence.
        """
        if operator == "_local_scalar_dense":
            return self.number(args[0])
        if operator in _ANSWERS:
            self.decided()
            return _ANSWERS[operator]
        if operator in _SIZED and kwargs.get("output_size") is None:
            self.log.guess(self.log.sized)
            return _SIZED[operator](*args, **kwargs)
        if operator == "_to_copy" and getattr(kwargs.get("device"), "type", "") == "cpu":
            return torch.zeros(args[0].shape, dtype=kwargs.get("dtype") or args[0].dtype)
        return self._followed(operator, func, args, kwargs)

    def _followed(self, operator: str, func: Any, args: Any, kwargs: Any) -> Any:
        """What PyTorch makes of shapes and types alone. Raises NotImplementedError."""
        if operator in _OF_MASKS and any(index is not None and index.dtype in MASKS for index in args[1]):
            self.log.guess(self.log.sized)
            args = (args[0], [found for index in args[1] for found in _found(index)])
        if kwargs.get("generator") is not None:
            kwargs = {**kwargs, "generator": None}
        if operator != "_pack_padded_sequence":
            args, kwargs = _on_meta(args), {name: _on_meta(value) for name, value in kwargs.items()}
        try:
            return self.shapes.call(func, args, kwargs)
        except (NotImplementedError, RuntimeError) as error:
            if "meta" not in str(error).lower():
                raise
            raise needs_values(operator) from error

    def copy(self, func: Any, args: Any, kwargs: Any) -> Any:
        """`copy_`, of which one side or both have no values."""
        target, source = args[0], args[1]
        if isinstance(source, torch.Tensor) and source.is_meta and not target.is_meta:
            target.zero_()
            return target
        return func(*args, **kwargs)

    def number(self, tensor: Any) -> Any:
        """The neutral number that is read of a tensor."""
        if tensor.dtype is torch.bool:
            return self.places.is_true(tensor)
        return 0.0 if tensor.is_floating_point() else 0j if tensor.is_complex() else 0

    def emptied(self, tensor: Any) -> Any:
        """A tensor of the same kind without values, without a history."""
        return torch.empty_like(tensor.detach(), device=META).requires_grad_(tensor.requires_grad)

    def share(self, tensor: Any, copy: Any, memo: dict[Any, Any]) -> None:
        """Deep copies of tensors that share memory share theirs, as they do with values."""
        storage = tensor.untyped_storage()
        copied = memo.setdefault((Valueless, storage._cdata), torch.UntypedStorage(storage.nbytes(), device="meta"))
        with torch.no_grad():
            copy.set_(copied, tensor.storage_offset(), tensor.size(), tensor.stride())

    def hosted(self, tensor: Any) -> Any:
        """Zeros on the host, in place of values that were not computed; what has values stays as it is."""
        return torch.zeros(tensor.shape, dtype=tensor.dtype) if tensor.is_meta else tensor

    def made(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What a module makes on the host, if it is so large that it is to have no values; else None."""
        if getattr(func, "__name__", "") not in _MADE or kwargs.get("out") is not None:
            return None
        words = {name: value for name, value in kwargs.items() if name != "generator"}
        made = func(*args, **{**words, "device": META})
        if not made.is_floating_point() or made.numel() * made.element_size() < LEAST or not _in_a_constructor():
            return None
        self.places.hide(made)
        return made


def _in_a_constructor() -> bool:
    """Whether a module is being made, as far as it can be told from the functions that run now."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "__init__" and isinstance(frame.f_locals.get("self"), nn.Module):
            return True
        frame = frame.f_back
    return False


def _on_meta(value: Any) -> Any:
    """Tensors without their values; numbers of the host stay, since PyTorch tells them from what they are."""
    if isinstance(value, torch.Tensor):
        return value if value.is_meta or not value.dim() else value.to(META)
    if isinstance(value, list | tuple) and any(not tensor.is_meta for tensor in tensors(value)):
        return type(value)(map(_on_meta, value))
    return value


def _flat(tensor: Any, *, count: int | None = None, dtype: Any = None) -> Any:
    count = tensor.numel() if count is None else count
    return torch.empty(count, dtype=dtype or tensor.dtype, device=META)


def _unique(tensor: Any, *_: Any, **__: Any) -> Any:
    counted = _flat(tensor, dtype=torch.int64)
    return _flat(tensor), torch.empty(tensor.shape, dtype=torch.int64, device=META), counted


def _unique_rows(tensor: Any, dim: int, *_: Any, **__: Any) -> Any:
    rows = tensor.shape[dim]
    return (torch.empty_like(tensor), *(_flat(tensor, count=rows, dtype=torch.int64) for _ in range(2)))


def _selected(tensor: Any, mask: Any) -> Any:
    return _flat(tensor, count=prod(torch.broadcast_shapes(tensor.shape, mask.shape)))


def _found(index: Any) -> list[Any]:
    """An index, or in place of a mask the indices of all that it may select."""
    if index is None or index.dtype not in MASKS:
        return [index]
    return [_flat(index, dtype=torch.int64) for _ in range(index.dim())]


def _nonzero(tensor: Any) -> Any:
    return torch.empty((tensor.numel(), tensor.dim()), dtype=torch.int64, device=META)


_SIZED: dict[str, Callable[..., Any]] = {
    "nonzero": _nonzero,
    "masked_select": _selected,
    "_unique": lambda tensor, *_, **__: _unique(tensor)[:2],
    "_unique2": _unique,
    "unique_consecutive": _unique,
    "unique_dim": _unique_rows,
    "unique_dim_consecutive": _unique_rows,
    "repeat_interleave": lambda repeats, **_: _flat(repeats),
    "bincount": lambda tensor, weights=None, minlength=0: _flat(
        tensor, count=max(1, minlength), dtype=torch.int64 if weights is None else weights.dtype
    ),
}
"""Operators whose results have a size that depends on values → their largest result; of `repeat_interleave`, one
without repeats, and of `bincount`, one of as many classes as it is told."""
