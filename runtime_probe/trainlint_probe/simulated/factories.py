"""What makes tensors: a factory that is asked for a GPU makes them on the CPU, and they are put there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _device as default_device

from trainlint_probe.simulated.copies import Copies
from trainlint_probe.simulated.descriptions.function_names import shown
from trainlint_probe.simulated.errors import wrong_generator
from trainlint_probe.simulated.events import HOST_TO_DEVICE, Kind, What
from trainlint_probe.simulated.places import tensors

_Base = torch._C.TensorBase
_FROM_DATA = frozenset({"tensor", "as_tensor", "asarray", "_make_tensor"})
"""Factories that copy data of the host to the device that they are given."""


class Factories:
    """Calls factories, and says where lies what they make."""

    def __init__(self, copies: Copies, call: Callable[..., Any], move: Callable[..., Any]) -> None:
        """`call` calls a function of PyTorch, as the script would have; `move` is `Tensor.to`."""
        self.operators = copies.operators
        self.places = copies.places
        self.log = copies.log
        self.copies = copies
        self.call = call
        self.move = move
        self.functions = default_device._device_constructors()
        """Those that obey the default device."""

    def new_tensor(self, args: Any, kwargs: Any) -> Any:
        """As `Tensor.new_tensor`."""
        words = dict(kwargs)
        wanted = words.pop("device", None)
        index = self.places.device(args[0]) if wanted is None else self.copies.index(wanted)
        made = self.call(_Base.new_tensor, args, words)
        return self._sent(made, args[1] if len(args) > 1 else kwargs.get("data"), index, "Tensor.new_tensor")

    def make(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Call a factory, or whatever takes a device.

        Raises:
            RuntimeError: a generator of the CPU draws for a device, or there is no such device.
        """
        self._read_numbers(func, args, kwargs)
        wanted = kwargs.get("device")
        if wanted is None and func in self.functions:
            wanted = default_device.CURRENT_DEVICE
        index = self.copies.index(wanted)
        if index is None:
            return self._made_on_host(func, args, kwargs, wanted)
        generator = kwargs.get("generator")
        if generator is not None and generator.device.type == "cpu":
            raise wrong_generator()
        words = {**kwargs, "device": self.operators.stands_in}
        words.pop("pin_memory", None)
        name = getattr(func, "__name__", "")
        data = (args[0] if args else kwargs.get("data", kwargs.get("obj"))) if name in _FROM_DATA else None
        if name != "tensor" and isinstance(data, torch.Tensor):
            return self.move((data,), {"device": wanted, "dtype": kwargs.get("dtype")})
        if name in _FROM_DATA:
            words["device"] = "cpu"
        self.operators.running.makes_on_device += 1
        try:
            made = self.call(func, args, words)
        finally:
            self.operators.running.makes_on_device -= 1
        if name in _FROM_DATA:
            return self._sent(made, data, index, shown(func))
        for tensor in tensors((made,)):
            self.places.put(tensor, index)
        return made

    def _made_on_host(self, func: Any, args: Any, kwargs: Any, wanted: Any) -> Any:
        """What a factory makes that is asked for no CUDA device."""
        if self.operators.valueless is not None and (wanted is None or torch.device(wanted).type == "cpu"):
            made = self.operators.silently(self.operators.valueless.made, func, args, kwargs)
            if made is not None:
                return made
        if wanted is None or torch.device(wanted).type != "cpu":
            return self.pinned(func, args, kwargs) if kwargs.get("pin_memory") else self.call(func, args, kwargs)
        made = self._on_host(func, args, kwargs)
        if isinstance(made, torch.Tensor) and shown(func) not in ("torch.as_tensor", "torch.asarray"):
            self.places.take_away(made)
        return self._pin(made) if kwargs.get("pin_memory") else made

    def _on_host(self, func: Any, args: Any, kwargs: Any) -> Any:
        """A factory that is told to use the host, beneath whatever device is the surrounding one."""
        with self.operators.around(()):
            return func(*args, **kwargs) if getattr(func, "__code__", None) is None else self.call(func, args, kwargs)

    def _read_numbers(self, func: Any, args: Any, kwargs: Any) -> None:
        """A factory reads each tensor of the device among a list of numbers, one after the other."""
        data = args[0] if args else kwargs.get("data", kwargs.get("obj"))
        if isinstance(data, list | tuple) and getattr(func, "__name__", "") in _FROM_DATA:
            for tensor in tensors(data):
                if self.places.device(tensor) is not None:
                    self.log.note(What(Kind.WAIT, f"{shown(func)} of tensors"))

    def _sent(self, made: Any, data: Any, index: int | None, name: str) -> Any:
        """What was made of data of the host goes to the device: a copy from pageable memory, which blocks."""
        if index is None:
            return made
        origin = self.places.device(data) if isinstance(data, torch.Tensor) else None
        if origin is None and made.numel():
            pinned = isinstance(data, torch.Tensor) and self.places.is_pinned(data)
            what = What(Kind.COPY, name, HOST_TO_DEVICE, blocking=True, pageable=not pinned)
            self.log.note(what, made.numel() * made.element_size())
        if self.operators.valueless is not None:
            made = self.operators.silently(self.operators.valueless.emptied, made)
        self.places.put(made, index)
        return made

    def pinned(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What is made in pinned memory of the host."""
        words = dict(kwargs)
        words.pop("pin_memory")
        return self._pin(self.call(func, args, words))

    def _pin(self, made: Any) -> Any:
        self.places.pin(made)
        return made
