"""Where each tensor would lie: on the host, in pinned memory of the host, or on a device. Known by storage.

Views share a storage, and so a place. PyTorch keeps the Python object of a storage as long as the storage lives, so a
weak reference to it tells when memory is freed.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import torch

BLOCK = 512
"""Bytes: the allocator of CUDA rounds each request up to a multiple of this (c10/cuda/CUDACachingAllocator.cpp,
kMinBlockSize)."""


class _Held(NamedTuple):
    device: int
    """The index of the device; `_PINNED` for pinned memory of the host, `_HIDDEN` for ordinary memory whose values
    are not kept."""
    size: int
    """Bytes on the device."""
    halved: bool
    """Whether its elements take half as many bytes there, as autocast would have computed them in 16 bits."""
    reference: weakref.ref[Any]


_PINNED = -1
_HIDDEN = -2
_PLAIN = (torch.Tensor, torch.nn.Parameter)
"""Classes of tensors that wrap no other."""


class Memory:
    """What live tensors hold of one device."""

    def __init__(self) -> None:
        self.live = 0
        """Bytes."""
        self.peak = 0
        self.allocations = 0


class Places:
    """The place of each storage of a process; a storage that is not known lies in ordinary memory of the host."""

    def __init__(self, devices: int) -> None:
        self._held: dict[int, _Held] = {}
        self.memory = [Memory() for _ in range(devices)]
        self.any_halved = False
        """Whether any tensor has been in 16 bits, in place of 32, so far."""
        self._true: set[int] = set()

    def device(self, tensor: Any) -> int | None:
        """The index of the device that a tensor lies on; None on the host."""
        held = self._held.get(_key(tensor))
        return held.device if held is not None and held.device >= 0 else None

    def is_pinned(self, tensor: Any) -> bool:
        """Whether a tensor lies in pinned memory of the host."""
        held = self._held.get(_key(tensor))
        return held is not None and held.device == _PINNED

    def put(self, tensor: Any, device: int, *, halved: bool = False) -> None:
        """A tensor lies on a device from now on; `halved`: there in 16 bits, in place of 32."""
        for part in parts(tensor):
            self.put_storage(_storage(part), device, halved=halved)

    def pin(self, tensor: Any) -> None:
        """A tensor lies in pinned memory of the host from now on."""
        for part in parts(tensor):
            self._hold(_storage(part), _PINNED, 0, halved=False)

    def hide(self, tensor: Any) -> None:
        """A tensor lies in ordinary memory of the host, and has no values."""
        for part in parts(tensor):
            self._hold(_storage(part), _HIDDEN, 0, halved=False)

    def is_hidden(self, tensor: Any) -> bool:
        """Whether a tensor would lie on the host, and has no values."""
        held = self._held.get(_key(tensor))
        return held is not None and held.device == _HIDDEN

    def call_true(self, tensor: Any) -> None:
        """Of a truth that was not computed: it says that all is well."""
        self._true.add(_key(tensor))

    def is_true(self, tensor: Any) -> bool:
        """Whether it does."""
        return _key(tensor) in self._true

    def take_away(self, tensor: Any) -> None:
        """A tensor lies in ordinary memory of the host after all."""
        for part in parts(tensor):
            self._forget(_storage(part)._cdata)

    def put_storage(self, storage: Any, device: int, *, halved: bool = False) -> None:
        """Likewise for a storage."""
        size = storage.nbytes() // 2 if halved else storage.nbytes()
        self._hold(storage, device, -(-size // BLOCK) * BLOCK, halved=halved)

    def storage_device(self, storage: Any) -> int | None:
        """The index of the device that a storage lies on; None on the host."""
        held = self._held.get(storage._cdata)
        return held.device if held is not None and held.device >= 0 else None

    def is_halved(self, tensor: Any) -> bool:
        """Whether the elements of a tensor take half as many bytes on its device as here."""
        held = self._held.get(_key(tensor))
        return held is not None and held.halved

    def _hold(self, storage: Any, device: int, size: int, *, halved: bool) -> None:
        key = storage._cdata
        known = self._held.get(key)
        if known is not None:
            if known.device == device:
                return
            self._forget(key)
        self.any_halved = self.any_halved or halved
        self._held[key] = _Held(device, size, halved, weakref.ref(storage, lambda _: self._forget(key)))
        if device >= 0:
            memory = self.memory[device]
            memory.live += size
            memory.allocations += 1
            memory.peak = max(memory.peak, memory.live)

    def _forget(self, key: int) -> None:
        held = self._held.pop(key, None)
        self._true.discard(key)
        if held is not None and held.device >= 0:
            self.memory[held.device].live -= held.size


def parts(tensor: Any) -> Iterator[Any]:
    """The tensors that hold the memory of a tensor: itself; the indices and values of a sparse one; what a wrapper
    wraps.
    """
    if tensor.layout is torch.strided and tensor.is_nested:
        yield tensor.values()
    elif tensor.layout is torch.strided:
        inner = getattr(tensor, "__tensor_flatten__", None)
        if inner is None:
            yield tensor
        else:
            for name in inner()[0]:
                if isinstance(part := getattr(tensor, name), torch.Tensor):  # others are meshes of devices
                    yield from parts(part)
    elif tensor.layout is torch.sparse_coo:
        yield tensor._indices()
        yield tensor._values()
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        yield from (tensor.crow_indices(), tensor.col_indices(), tensor.values())
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        yield from (tensor.ccol_indices(), tensor.row_indices(), tensor.values())
    elif tensor.layout is torch.jagged:
        yield from (tensor._values, tensor._offsets)


def tensors(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among arguments or results, those in lists, tuples and dicts included."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from tensors(value)
        elif isinstance(value, dict):
            yield from tensors(value.values())


def _key(tensor: Any) -> int:
    if tensor.layout is not torch.strided or (type(tensor) not in _PLAIN and hasattr(tensor, "__tensor_flatten__")):
        tensor = next(parts(tensor), None)
        if tensor is None:
            return 0
    return int(_storage(tensor)._cdata)


def _storage(tensor: Any) -> Any:
    if type(tensor) in _PLAIN:
        return tensor.untyped_storage()
    with torch._C.DisableTorchFunctionSubclass():  # parameters without a shape yet forbid the question
        return tensor.untyped_storage()
