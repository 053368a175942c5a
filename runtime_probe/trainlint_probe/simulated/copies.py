"""Copies between the host and a device, as `.to`, `.cuda` and `.cpu` make them."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.parameter import is_lazy

from trainlint_probe.simulated.errors import no_such_device
from trainlint_probe.simulated.events import DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, Kind, Log, What
from trainlint_probe.simulated.operators import Operators
from trainlint_probe.simulated.places import Places


class Copies:
    """Moves tensors, and says what that costs."""

    def __init__(self, places: Places, log: Log, operators: Operators) -> None:
        self.places = places
        self.log = log
        self.operators = operators
        self.current = 0
        """The index of the device that "cuda" means now."""

    def index(self, device: Any) -> int | None:
        """The index of the device that an argument names; None where it is not a CUDA device.

        Raises:
            RuntimeError: there are not so many, as CUDA says it.
        """
        if device is None or isinstance(device, bool):
            return None
        if isinstance(device, int):
            return self._checked(device)
        if isinstance(device, str):
            if not device.startswith("cuda"):
                return None
            device = torch.device(device)
        if getattr(device, "type", None) != "cuda":
            return None
        return self.current if device.index is None else self._checked(device.index)

    def _checked(self, index: int) -> int:
        if not 0 <= index < len(self.places.memory):
            raise no_such_device(index, len(self.places.memory))
        return index

    def to_device(self, tensor: Any, device: int, *, non_blocking: bool = False) -> Any:
        """The tensor on a device: itself where it lies there already."""
        origin = self.places.device(tensor)
        if origin == device:
            return tensor
        self.note(tensor, origin, device, non_blocking)
        return self._copied(tensor, origin, device)

    def to_host(self, tensor: Any, *, non_blocking: bool = False) -> Any:
        """The tensor on the host: itself where it lies there already."""
        origin = self.places.device(tensor)
        if origin is None:
            return tensor
        self.note(tensor, origin, None, non_blocking)
        copy = self._copied(tensor, origin, None)
        if non_blocking:  # PyTorch takes pinned memory for a copy that does not block (ATen, TensorConversions.cpp)
            self.places.pin(copy)
        return copy

    def note(self, tensor: Any, origin: int | None, target: int | None, non_blocking: bool) -> None:
        """A copy of a tensor was asked for."""
        with torch._C.DisableTorchFunctionSubclass():  # parameters without a shape yet forbid the questions
            size = tensor.numel() * tensor.element_size()
        if not size:
            return  # CUDA copies nothing (ATen, Copy.cpp)
        name = self.operators.name("Tensor.to")
        if origin is None:
            pageable = not self.places.is_pinned(tensor)
            what = What(Kind.COPY, name, HOST_TO_DEVICE, not non_blocking, pageable)
        elif target is None:
            what = What(Kind.COPY, name, DEVICE_TO_HOST, not non_blocking, pageable=not non_blocking)
        else:
            what = What(Kind.COPY, name, DEVICE_TO_DEVICE, blocking=False)
        self.log.note(what, size)

    def _copied(self, tensor: Any, origin: int | None, target: int | None) -> Any:
        if self.operators.valueless is not None and not is_lazy(tensor):
            return _Moved.apply(tensor, self, origin, target) if tensor.requires_grad else self.empty(tensor, target)
        with self.operators.uncounted():
            if is_lazy(tensor):  # a parameter without a shape yet
                with torch._C.DisableTorchFunctionSubclass():
                    copy = tensor.data.clone()
            else:
                copy = tensor.clone()
        if target is None:
            self.places.take_away(copy)
        else:
            self.places.put(copy, target, halved=origin is not None and self.places.is_halved(tensor))
        if self.operators.capture is not None:
            self.operators.capture.copied(tensor, copy)
        if copy.grad_fn is not None:
            copy.grad_fn.register_hook(lambda given, _: self._back(given, target, origin))
        return copy

    def empty(self, tensor: Any, target: int | None) -> Any:
        """A tensor like another on a device, without values; on the host, zeros."""
        valueless = self.operators.valueless
        assert valueless is not None
        with self.operators.uncounted():
            if target is None:
                return valueless.hosted(tensor.detach())
            copy = valueless.emptied(tensor.detach())
        self.places.put(copy, target)
        return copy

    def _back(self, gradients: Any, origin: int | None, target: int | None) -> Any:
        """In the backward pass the gradient goes the other way."""
        with torch.no_grad():
            return tuple(
                gradient
                if gradient is None or self.places.device(gradient) != origin
                else self._moved_back(gradient, origin, target)
                for gradient in gradients
            )

    def _moved_back(self, gradient: Any, origin: int | None, target: int | None) -> Any:
        self.note(gradient, origin, target, non_blocking=False)
        return self._copied(gradient, origin, target)


class _Moved(torch.autograd.Function):  # type: ignore[misc] # PyTorch is not read by mypy
    """A copy without values, whose gradient goes the other way."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, copies: Copies, origin: int | None, target: int | None) -> Any:
        ctx.copies, ctx.way = copies, (target, origin)
        return copies.empty(tensor, target)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (back,) = ctx.copies._back((gradient,), *ctx.way)
        return back, None, None, None
