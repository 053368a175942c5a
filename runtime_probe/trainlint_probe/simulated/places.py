"""Where each tensor would lie: on the host, in pinned memory of the host, or on a device. Known by storage.

Views share a storage, and so a place. PyTorch keeps the Python object of a storage as long as the storage lives, so a
weak reference to it tells when memory is freed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch

from trainlint_probe.simulated.errors import two_devices

BLOCK = 512
"""Bytes: the allocator of CUDA rounds each request up to a multiple of this (c10/cuda/CUDACachingAllocator.cpp,
kMinBlockSize)."""


class _Held(weakref.ref[Any]):
    """Where a storage lies, as long as it lives."""

    __slots__ = ("device", "halved", "key", "size")

    key: int
    """The address of the storage."""
    device: int
    """The index of the device; `_PINNED` for pinned memory of the host, `_HIDDEN` for ordinary memory whose values
    are not kept."""
    size: int
    """Bytes on the device."""
    halved: bool
    """Whether its elements take half as many bytes there, as autocast would have computed them in 16 bits."""


_PINNED = -1
_HIDDEN = -2
PLAIN = frozenset({torch.Tensor, torch.nn.Parameter})
"""Classes of tensors that wrap no other."""
_NO_TENSORS = frozenset(
    {bool, int, float, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size}
)
"""Classes of which no value is a tensor: PyTorch asks by a function of Python whether a value is one."""
USUAL = PLAIN | _NO_TENSORS
"""Classes of arguments that no library has overridden."""
_CONTAINERS = (list, tuple, dict)
_storage_address: Callable[[Any], int] = torch._C._storage_address
"""Asks no mode and makes no object of Python, as `tensor.untyped_storage()` does."""


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

    def of(self, values: Iterable[Any]) -> tuple[int | None, Sequence[Any], bool]:
        """The device that the tensors among arguments lie on, those in lists, tuples and dicts included; those of them
        that lie on the host; and whether each is one piece of memory, and no sparse tensor or wrapper of others.

        Every operator asks for it, so that it says nothing twice and calls nothing that it can do without.

        Raises:
            RuntimeError: they lie on several devices, as CUDA says it.
        """
        found: int | None = None
        on_host: list[Any] = []
        plain = True
        for value in values:
            kind = type(value)
            if kind in _NO_TENSORS:
                continue
            if kind in PLAIN:
                try:
                    held = self._held.get(_storage_address(value))
                    device = None if held is None or held.device < 0 else held.device
                except NotImplementedError:
                    device, plain = self.device(value), False
                if device is None:
                    on_host.append(value)
            else:
                device, others, is_plain = self._of_other(value, kind)
                on_host += others
                plain = plain and is_plain
            if device is not None and device != found:
                if found is not None:
                    raise two_devices(found, "", device)
                found = device
        return found, on_host, plain

    def _of_other(self, value: Any, kind: type) -> tuple[int | None, Sequence[Any], bool]:
        """Likewise of one argument that is neither a usual tensor nor a number."""
        if isinstance(value, _CONTAINERS):
            if value and kind is list and type(value[0]) is int:
                return None, (), True  # sizes
            return self.of(value.values() if isinstance(value, dict) else value)
        if isinstance(value, torch.Tensor):
            device = self.device(value)
            return device, (value,) if device is None else (), False
        return None, (), True

    def is_pinned(self, tensor: Any) -> bool:
        """Whether a tensor lies in pinned memory of the host."""
        held = self._held.get(_key(tensor))
        return held is not None and held.device == _PINNED

    def put(self, tensor: Any, device: int, *, halved: bool = False) -> None:
        """A tensor lies on a device from now on; `halved`: there in 16 bits, in place of 32."""
        if type(tensor) in PLAIN:
            try:
                storage = tensor.untyped_storage()
            except NotImplementedError:
                pass  # a sparse tensor has several
            else:
                self.hold(storage, device, halved=halved)
                return
        for part in parts(tensor):
            self.hold(_storage(part), device, halved=halved)

    def pin(self, tensor: Any) -> None:
        """A tensor lies in pinned memory of the host from now on."""
        for part in parts(tensor):
            self.hold(_storage(part), _PINNED)

    def hide(self, tensor: Any) -> None:
        """A tensor lies in ordinary memory of the host, and has no values."""
        for part in parts(tensor):
            self.hold(_storage(part), _HIDDEN)

    def is_hidden(self, tensor: Any) -> bool:
        """Whether a tensor would lie on the host, and has no values."""
        held = self._held.get(_key(tensor))
        return held is not None and held.device == _HIDDEN

    def is_known(self, tensor: Any) -> bool:
        """Whether a tensor would lie on a device, or has no values."""
        return self.device(tensor) is not None or self.is_hidden(tensor)

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

    def storage_device(self, storage: Any) -> int | None:
        """The index of the device that a storage lies on; None on the host."""
        held = self._held.get(storage._cdata)
        return held.device if held is not None and held.device >= 0 else None

    def is_halved(self, tensor: Any) -> bool:
        """Whether the elements of a tensor take half as many bytes on its device as here."""
        held = self._held.get(_key(tensor))
        return held is not None and held.halved

    def hold(self, storage: Any, device: int, *, halved: bool = False) -> None:
        """A storage lies on a device from now on; `halved`: there in 16 bits, in place of 32."""
        key = storage._cdata
        known = self._held.get(key)
        if known is not None:
            if known.device == device:
                return
            self._forget(key)
        held = self._held[key] = _Held(storage, self._freed)
        held.key = key
        held.device = device
        held.halved = halved
        held.size = 0
        if device >= 0:
            size = storage.nbytes()
            if halved:
                self.any_halved = True
                size //= 2
            held.size = size = (size + BLOCK - 1) // BLOCK * BLOCK
            memory = self.memory[device]
            memory.live += size
            memory.allocations += 1
            if memory.live > memory.peak:
                memory.peak = memory.live

    def _freed(self, held: _Held) -> None:
        """A storage has been freed."""
        if self._held.get(held.key) is held:
            del self._held[held.key]
            if self._true:
                self._true.discard(held.key)
            if held.device >= 0:
                self.memory[held.device].live -= held.size

    def _forget(self, key: int) -> None:
        held = self._held.get(key)
        if held is not None:
            self._freed(held)


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
        kind = type(value)
        if kind in PLAIN or (kind not in _NO_TENSORS and isinstance(value, torch.Tensor)):
            yield value
        elif isinstance(value, _CONTAINERS):
            yield from tensors(value.values() if isinstance(value, dict) else value)


def _key(tensor: Any) -> int:
    """The address of the storage of a tensor, or of the first of several; 0 where there is none."""
    if type(tensor) in PLAIN or not hasattr(tensor, "__tensor_flatten__"):
        try:
            return _storage_address(tensor)
        except NotImplementedError:
            pass  # a sparse tensor has several
    part = next(parts(tensor), None)
    return 0 if part is None else _key(part)


def _storage(tensor: Any) -> Any:
    if type(tensor) in PLAIN:
        return tensor.untyped_storage()
    with torch._C.DisableTorchFunctionSubclass():  # parameters without a shape yet forbid the question
        return tensor.untyped_storage()
