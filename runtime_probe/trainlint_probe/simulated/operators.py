"""Every operator that PyTorch executes: where its result lies, whether the host waits for it, and what may not be."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter_ns
from types import CodeType
from typing import Any, Protocol

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from trainlint.analysis.tables.waits.operators import OperatorWait, When
from trainlint_probe.simulated.descriptions import precision
from trainlint_probe.simulated.descriptions.description import INDEXING, Operator, described
from trainlint_probe.simulated.descriptions.waiting import does_wait
from trainlint_probe.simulated.errors import (
    lengths_on_device,
    no_cpu_kernel,
    no_cuda_kernel,
    two_devices,
    wrong_generator,
)
from trainlint_probe.simulated.events import DEVICE_TO_HOST, HOST_TO_DEVICE, Kind, Log, What
from trainlint_probe.simulated.indexing import copy_indices
from trainlint_probe.simulated.places import Places, tensors
from trainlint_probe.simulated.without_values.valueless import META, Valueless

_HOST = torch.device("cpu")
REDUCER = "DistributedDataParallel"
"""The name of its C++, which keeps the order of gradients and who has some in integers of the device."""
_MOST_MASKS = 50_000


class Capturing(Protocol):
    """A graph that is being captured."""

    def run(self, operator: Operator, args: Any, kwargs: Any) -> Any:
        """Run an operator once, and keep it."""

    def copied(self, tensor: Any, copy: Any) -> None:
        """Keep a copy between places."""


class Running(threading.local):
    """What one thread is about."""

    def __init__(self) -> None:
        self.quiet = 0
        """Above 0: what runs is our own, or is not to be counted."""
        self.calls: list[tuple[Sequence[Any], str]] = []
        """The functions of PyTorch's C++ that run now: the arguments of each, as what it makes without a tensor lies
        where these lie, and what it is called, empty where that is not known."""
        self.makes_on_device = 0
        """Above 0: a factory that was given a device runs, of whose result C++ does not know yet where it lies."""
        self.entered: list[CodeType | None] = []
        """Functions of PyTorch's Python that run now, with the surface on: until their own question whether one is."""


class Operators(TorchDispatchMode):  # type: ignore[misc] # PyTorch is not read by mypy
    """Stands below autograd: forward, backward and optimizers."""

    def __init__(self, places: Places, log: Log, valueless: Valueless | None = None) -> None:
        super().__init__()
        self.places = places
        self.log = log
        self.valueless = valueless
        """None where the CPU computes what the device would."""
        self.stands_in = _HOST if valueless is None else META
        """The device of PyTorch that stands for all simulated ones."""
        self.running = Running()
        self.is_off = False
        """Whether nothing is counted any more, in any thread."""
        self.launches = 0
        self.executed: Callable[[Operator, Any, Any], None] | None = None
        """Told the operator, its arguments and its result, for what runs on a device."""
        self.after_backward: Callable[[], None] = lambda: None
        """Called when `backward` has run."""
        self.draws: list[tuple[int, int]] = []
        """When random numbers were drawn, by time.perf_counter_ns, and how many: below 0 on a device."""
        self.masks: dict[int, Any] = {}
        """The number of a node of autograd → the line that indexed by a mask there."""
        self.capture: Capturing | None = None
        """The graph that is being captured."""
        self._known: dict[int, Operator] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch wraps a mode that says yes, which costs each operator more than what is done here."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.is_off or self.running.quiet:
            return func(*args, **(kwargs or {}))
        operator = self._known.get(id(func)) or self.described(func)
        with torch._C.DisableTorchFunction():
            run = self.run if self.capture is None else self.capture.run
            out = run(operator, args, kwargs or {})
            if operator.draws:
                self._note_draw(out)
            return out

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """What runs in here is computed, and neither counted nor placed."""
        self.running.quiet += 1
        try:
            yield
        finally:
            self.running.quiet -= 1

    def silently(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function gives, whose operators are neither counted nor placed."""
        with self.uncounted():
            return func(*args, **kwargs)

    def described(self, func: Any) -> Operator:
        """What is known of an operator. Kept by its identity: PyTorch computes its hash in Python."""
        operator = self._known[id(func)] = described(func)
        return operator

    def launched(self, operator: Operator, args: Any, out: Any) -> None:
        """The device has work to do; a graph that is captured makes none."""
        if self.capture is None:
            self.launches += 1
            if self.executed is not None:
                self.executed(operator, args, out)

    def run(self, operator: Operator, args: Any, kwargs: Any) -> Any:
        """Run an operator, and keep the books."""
        if not operator.plain or self.valueless is not None:
            return self._run_others(operator, args, kwargs)
        device, on_host, plain = self.places.of(args)
        if kwargs:
            device, on_host = self._with_words(kwargs, device, on_host)
        if device is None:
            return self._on_host(operator, args, kwargs, bool(on_host))
        if on_host or kwargs:
            self._refuse(operator, args, kwargs, device, on_host)
        out = self._computed(operator, args, kwargs)
        if on_host or not plain or not operator.in_place:  # else it lies where it lay
            self._put(operator, args, out, device)
        if operator.launches:
            self.launched(operator, args, out)
        return out

    def _run_others(self, operator: Operator, args: Any, kwargs: Any) -> Any:
        """Run what does more than to compute, or what has no values."""
        asked = _asked_device(operator, args, kwargs)
        if asked is not None and asked.type == "cuda":
            out = self._computed(operator, *self._standing_in(operator, args, kwargs))
            return self._placed(operator, args, out, asked.index or 0)
        device, on_host, _ = self.places.of(args)
        device, on_host = self._with_words(kwargs, device, on_host)
        if operator.collective:
            self._note_collective(operator, args)
        if operator.name == "copy_":
            return self._copy(operator, args, kwargs)
        if device is None:
            return self._on_host(operator, args, kwargs, bool(on_host))
        self._refuse(operator, args, kwargs, device, on_host)
        self._note_waits(operator, args, kwargs)
        out = self._computed(operator, args, kwargs)
        if operator.name == "_local_scalar_dense":
            return out
        if operator.name == "_pack_padded_sequence":  # the sizes of its batches stay on the host
            self.places.put(out[0], device)
            return out
        return self._placed(operator, args, out, device)

    def _on_host(self, operator: Operator, args: Any, kwargs: Any, given: bool) -> Any:
        """What is made of tensors of the host, or of none."""
        device = None if given or _is_of_host(operator, args, kwargs) else self._surrounding()
        if self.valueless is not None:
            return self._without_values(operator, args, kwargs, device)
        out = operator.call(*args, **kwargs)
        return out if device is None else self._placed(operator, args, out, device)

    def _note_draw(self, out: Any) -> None:
        drawn = next(iter(tensors((out,))), None)
        if drawn is not None and drawn.numel():
            is_device = self.running.makes_on_device > 0 or self.places.device(drawn) is not None
            self.draws.append((perf_counter_ns(), -drawn.numel() if is_device else drawn.numel()))

    def _note_collective(self, operator: Operator, args: Any) -> None:
        """Of what a rank gives and what it gets, the larger counts, as NVIDIA's tests of NCCL have it."""
        sizes = [sum(tensor.numel() * tensor.element_size() for tensor in tensors((given,))) for given in args]
        self.log.note(What(Kind.COLLECTIVE, operator.name, blocking=operator.name == "barrier"), max(sizes))

    def _computed(self, operator: Operator, args: Any, kwargs: Any) -> Any:
        """What it gives on the device. Raises NotImplementedError where nothing here can compute it."""
        if self.valueless is not None:
            return self.valueless.run(operator.name, operator.func, args, kwargs)
        try:
            return operator.call(*args, **kwargs)
        except NotImplementedError as error:
            raise no_cpu_kernel(operator.func._schema.name) from error

    def _without_values(self, operator: Operator, args: Any, kwargs: Any, device: int | None) -> Any:
        """What is made of no tensor, on a device or on the host; or of tensors of the host that have no values."""
        assert self.valueless is not None
        if device is not None:
            if self.name("") == REDUCER and kwargs.get("dtype") is torch.int32:  # its C++ reads these numbers
                kwargs = {**kwargs, "device": _HOST}
            else:
                args, kwargs = self._standing_in(operator, args, kwargs, always=True)
            return self._placed(operator, args, operator.call(*args, **kwargs), device)
        if not any(tensor.is_meta and self.places.is_hidden(tensor) for tensor in tensors((*args, *kwargs.values()))):
            return operator.call(*args, **kwargs)
        out = self.valueless.run(operator.name, operator.func, args, kwargs)
        for tensor in tensors((out,)):
            if tensor.is_meta:
                self.places.hide(tensor)
        return out

    def _standing_in(self, operator: Operator, args: Any, kwargs: Any, *, always: bool = False) -> tuple[Any, Any]:
        """The same arguments with the device that stands for it, where it stands among them, or always."""
        at = operator.device_at
        if at is None:
            return args, kwargs
        if len(args) > at:
            return (*args[:at], self.stands_in, *args[at + 1 :]), kwargs
        return args, ({**kwargs, "device": self.stands_in} if always or "device" in kwargs else kwargs)

    def _refuse(self, operator: Operator, args: Any, kwargs: Any, device: int, on_host: Sequence[Any]) -> None:
        """Raise what CUDA raises for tensors and generators that lie in the wrong place."""
        if on_host and not operator.mixes and (operator.strict or any(tensor.dim() for tensor in on_host)):
            raise two_devices(device, operator.name)
        if operator.func.namespace == "quantized":
            raise no_cuda_kernel(operator.func._schema.name)
        generator = kwargs.get("generator")
        if generator is not None and generator.device.type == "cpu":
            raise wrong_generator()
        if operator.name == "_pack_padded_sequence" and self.places.device(args[1]) is not None:
            raise lengths_on_device(args[1].dim(), device)

    def _note_waits(self, operator: Operator, args: Any, kwargs: Any) -> None:
        """What the host waits for and copies before the operator is queued."""
        if operator.name in INDEXING:
            copy_indices(self.places, self.log, args)
        if operator.wait is not None:
            self._wait(operator.wait, args, kwargs)
        if operator.upload is not None:
            what = What(Kind.COPY, operator.upload.shown, HOST_TO_DEVICE, pageable=True)
            numbers = next(len(argument) for argument in args if isinstance(argument, list | tuple))
            for _ in range(operator.upload.copies):
                self.log.note(what, numbers * 8)

    def _placed(self, operator: Operator, args: Any, out: Any, device: int) -> Any:
        """The result, which lies on the device from now on, and the launch of what made it."""
        self._put(operator, args, out, device)
        if operator.launches:
            self.launched(operator, args, out)
        return out

    def _put(self, operator: Operator, args: Any, out: Any, device: int) -> None:
        places = self.places
        is_one = isinstance(out, torch.Tensor)
        halved = False
        if places.any_halved or operator.lowered:
            halved = precision.is_halved(operator.name, args, out if is_one else None, places)
        if is_one:
            places.put(out, device, halved=halved)
        elif isinstance(out, list | tuple):
            for tensor in tensors(out):
                places.put(tensor, device, halved=halved)

    def _with_words(self, kwargs: Any, device: int | None, on_host: Sequence[Any]) -> tuple[int | None, Sequence[Any]]:
        """The device of all arguments, and those on the host, given those of the ones without a name."""
        for tensor in tensors(kwargs.values()):
            place = self.places.device(tensor)
            if place is None:
                on_host = [*on_host, tensor]
            elif device is None:
                device = place
        return device, on_host

    def _surrounding(self) -> int | None:
        """The device on which a C++ function makes what it makes of no tensor."""
        calls = self.running.calls
        for tensor in tensors(calls[-1][0] if calls else ()):
            device = self.places.device(tensor)
            if device is not None:
                return device
        return None

    def _copy(self, operator: Operator, args: Any, kwargs: Any) -> Any:
        target, source = args[0], args[1]
        is_number = not isinstance(source, torch.Tensor)  # PyTorch makes a tensor of the host of it
        to, origin = self.places.device(target), None if is_number else self.places.device(source)
        if to == origin or not (is_number or source.numel()):
            if to is not None and to == origin and self.capture is None:
                self.launches += 1
            return self._copied(operator, args, kwargs)
        blocking = not (args[2] if len(args) > 2 else kwargs.get("non_blocking", False))
        size = 8 if is_number else source.numel() * source.element_size()
        if origin is None:
            pageable = is_number or not self.places.is_pinned(source)
            self.log.note(What(Kind.COPY, self.name("copy_"), HOST_TO_DEVICE, blocking, pageable), size)
        elif to is None:
            pageable = not self.places.is_pinned(target)  # into such memory the host waits in any case
            what = What(Kind.COPY, self.name("copy_"), DEVICE_TO_HOST, blocking or pageable, pageable)
            self.log.note(what, size)
        return self._copied(operator, args, kwargs)

    def _copied(self, operator: Operator, args: Any, kwargs: Any) -> Any:
        if self.valueless is None:
            return operator.call(*args, **kwargs)
        return self.valueless.copy(operator.func, args, kwargs)

    def _wait(self, row: OperatorWait, args: Any, kwargs: Any) -> None:
        if not does_wait(row, self.places, args, kwargs):
            return
        name = self.name(row.shown)
        forward = None
        if row.when in (When.MASK_INDEX, When.MASK_WRITE):
            forward = self._forward_line()
            self._remember_forward()
        for _ in range(row.waits):
            self.log.note(What(Kind.WAIT, name), forward=forward)

    def _forward_line(self) -> Any:
        node = torch._C._current_autograd_node()
        return None if node is None else self.masks.get(node._sequence_nr())

    def _remember_forward(self) -> None:
        if torch.is_grad_enabled() and torch._C._current_autograd_node() is None:
            self.masks[torch.autograd._get_sequence_nr() - 1] = self.log.here()

    @contextmanager
    def around(self, values: Sequence[Any], name: str = "") -> Iterator[None]:
        """What C++ makes of no tensor lies, in this block, where these lie."""
        self.running.calls.append((values, name))
        try:
            yield
        finally:
            self.running.calls.pop()

    def forget_masks(self) -> None:
        """A step has ended: what many steps ago was indexed has no backward pass to come."""
        if len(self.masks) > _MOST_MASKS:
            self.masks.clear()

    def name(self, otherwise: str) -> str:
        """The function of PyTorch that was called, if that is known."""
        calls = self.running.calls
        return (calls[-1][1] if calls else "") or otherwise


def _is_of_host(operator: Operator, args: Any, kwargs: Any) -> bool:
    """Whether it makes a tensor for which C++ names no device, and so means the host."""
    return operator.device_at is not None and _asked_device(operator, args, kwargs) is None


def _asked_device(operator: Operator, args: Any, kwargs: Any) -> Any:
    """The device that C++ has parsed by itself, as it does for nested tensors; None where none is named."""
    at = operator.device_at
    if at is None:
        return None
    return args[at] if len(args) > at else kwargs.get("device")
