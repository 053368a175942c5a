"""Every operator that PyTorch executes: where its result lies, whether the host waits for it, and what may not be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter_ns
from typing import Any, NamedTuple, Protocol

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from trainlint.analysis.tables.waits.operators import OPERATORS, UPLOADS, OperatorUpload, OperatorWait, When
from trainlint_probe.simulated import precision
from trainlint_probe.simulated.collectives import is_collective
from trainlint_probe.simulated.errors import (
    index_elsewhere,
    lengths_on_device,
    no_cpu_kernel,
    no_cuda_kernel,
    two_devices,
    wrong_generator,
)
from trainlint_probe.simulated.events import DEVICE_TO_HOST, HOST_TO_DEVICE, Kind, Log, What
from trainlint_probe.simulated.places import Places, tensors
from trainlint_probe.simulated.without_values.valueless import MASKS, META, Valueless

_HOST = torch.device("cpu")
_VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
_WAITS = {row.name: row for row in OPERATORS if row.until is None or row.until > _VERSION}
_UPLOADS = {row.name: row for row in UPLOADS}
_INDEXING = frozenset("index _unsafe_index index_put index_put_ _index_put_impl_ _unsafe_index_put".split())
"""Operators that take a list of indices, of which those on the host are copied to the device
(aten/src/ATen/native/TensorAdvancedIndexing.cpp, make_info)."""
_MIX = _INDEXING | frozenset(
    (
        "copy_ _to_copy set_ record_stream _foreach_copy_ _pack_padded_sequence _pad_packed_sequence lstm gru rnn_tanh "
        "rnn_relu _ctc_loss _use_cudnn_ctc_loss detach alias lift_fresh resize_as_ _has_compatible_shallow_copy_type "
        "_nested_view_from_jagged"
    ).split()
)
"""Operators that take tensors of the host beside those of a device."""
_STRICT = frozenset("cat stack".split())
"""Operators that take no scalar of the host either (aten/src/ATen/native/cuda/Shape.cu)."""
_NO_KERNEL = frozenset(
    "empty empty_like empty_strided new_empty new_empty_strided _unsafe_view resize_ resize_as_ set_ "
    "_local_scalar_dense record_stream _has_compatible_shallow_copy_type".split()
)
"""Operators that launch no kernel although they give no view."""


_MOST_MASKS = 50_000


class Operator(NamedTuple):
    """What is known of an operator."""

    name: str
    wait: OperatorWait | None
    upload: OperatorUpload | None
    launches: bool
    """Whether it queues work for the device; views and sizes do not."""
    mixes: bool
    """Whether tensors of the host may stand beside those of a device."""
    strict: bool
    """Whether not even scalars may."""
    collective: bool
    """Whether it sends tensors between ranks."""
    draws: bool
    """Whether it draws random numbers."""
    device_at: int | None
    """The position of its argument `device`."""
    queued: bool = True
    """Whether the host hands it over by itself; the operators of a graph go together."""


class Capturing(Protocol):
    """A graph that is being captured."""

    def run(self, operator: Operator, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operator once, and keep it."""

    def copied(self, tensor: Any, copy: Any) -> None:
        """Keep a copy between places."""


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
        self.quiet = 0
        """Above 0: what runs is our own, or is not to be counted."""
        self.surroundings: list[Sequence[Any]] = []
        """The arguments of the functions of PyTorch's C++ that run now: what they make without a tensor lies where
        these lie."""
        self.names: list[str] = []
        """What these functions are called."""
        self.launches = 0
        self.executed: Callable[[Operator, Any, Any, Any], None] | None = None
        """Told the operator, its function, its arguments and its result, for what runs on a device."""
        self.after_backward: Callable[[], None] = lambda: None
        """Called when `backward` has run."""
        self.makes_on_device = 0
        """Above 0: a factory that was given a device runs, of whose result C++ does not know yet where it lies."""
        self.draws: list[tuple[int, int]] = []
        """When random numbers were drawn, by time.perf_counter_ns, and how many: below 0 on a device."""
        self.masks: dict[int, Any] = {}
        """The number of a node of autograd → the line that indexed by a mask there."""
        self.capture: Capturing | None = None
        """The graph that is being captured."""
        self._known: dict[Any, Operator] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch wraps a mode that says yes, which costs each operator more than what is done here."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.quiet:
            return func(*args, **kwargs)
        operator = self._known.get(func) or self.described(func)
        with torch._C.DisableTorchFunction():
            run = self.run if self.capture is None else self.capture.run
            out = run(operator, func, args, kwargs)
            if operator.draws:
                self._note_draw(out)
            return out

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """What runs in here is computed, and neither counted nor placed."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1

    def described(self, func: Any) -> Operator:
        """What is known of an operator."""
        operator = self._known[func] = _described(func)
        return operator

    def launched(self, operator: Operator, func: Any, args: Any, out: Any) -> None:
        """The device has work to do; a graph that is captured makes none."""
        if self.capture is None:
            self.launches += 1
            if self.executed is not None:
                self.executed(operator, func, args, out)

    def run(self, operator: Operator, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operator, and keep the books."""
        asked = _asked_device(operator, args, kwargs)
        if asked is not None and asked.type == "cuda":
            out = self._computed(operator, func, *self._standing_in(operator, args, kwargs))
            return self._placed(operator, func, args, out, asked.index or 0)
        device, on_host, count = self._places_of(args, kwargs)
        if operator.collective:
            self._note_collective(operator, args)
        if operator.name == "copy_":
            return self._copy(func, args, kwargs)
        if device is None:
            device = self._surrounding() if count == 0 else None
            if self.valueless is not None:
                return self._without_values(operator, func, args, kwargs, device)
            out = func(*args, **kwargs)
            return out if device is None else self._placed(operator, func, args, out, device)
        self._refuse(operator, func, args, kwargs, device, on_host)
        self._note_waits(operator, args, kwargs)
        if operator.name == "_local_scalar_dense":
            return self._computed(operator, func, args, kwargs)
        try:
            out = self._computed(operator, func, args, kwargs)
        except NotImplementedError as error:
            if self.valueless is not None:
                raise  # it says so itself
            raise no_cpu_kernel(func._schema.name) from error
        if operator.name == "_pack_padded_sequence":  # the sizes of its batches stay on the host
            self.places.put(out[0], device)
            return out
        return self._placed(operator, func, args, out, device)

    def _note_draw(self, out: Any) -> None:
        drawn = next(iter(tensors((out,))), None)
        if drawn is not None and drawn.numel():
            is_device = self.makes_on_device > 0 or self.places.device(drawn) is not None
            self.draws.append((perf_counter_ns(), -drawn.numel() if is_device else drawn.numel()))

    def _note_collective(self, operator: Operator, args: Any) -> None:
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors(args))
        self.log.note(What(Kind.COLLECTIVE, operator.name, blocking=operator.name == "barrier"), size)

    def _computed(self, operator: Operator, func: Any, args: Any, kwargs: Any) -> Any:
        if self.valueless is None:
            return func(*args, **kwargs)
        return self.valueless.run(operator.name, func, args, kwargs)

    def _without_values(self, operator: Operator, func: Any, args: Any, kwargs: Any, device: int | None) -> Any:
        """What is made of no tensor, on a device or on the host; or of tensors of the host that have no values."""
        assert self.valueless is not None
        if device is not None:
            args, kwargs = self._standing_in(operator, args, kwargs, always=True)
            return self._placed(operator, func, args, func(*args, **kwargs), device)
        if not any(tensor.is_meta and self.places.is_hidden(tensor) for tensor in tensors((*args, *kwargs.values()))):
            return func(*args, **kwargs)
        out = self.valueless.run(operator.name, func, args, kwargs)
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

    def _refuse(
        self, operator: Operator, func: Any, args: Any, kwargs: Any, device: int, on_host: Sequence[Any]
    ) -> None:
        """Raise what CUDA raises for tensors and generators that lie in the wrong place."""
        if on_host and not operator.mixes and (operator.strict or any(tensor.dim() for tensor in on_host)):
            raise two_devices(device, operator.name)
        if func.namespace == "quantized":
            raise no_cuda_kernel(func._schema.name)
        generator = kwargs.get("generator")
        if generator is not None and generator.device.type == "cpu":
            raise wrong_generator()
        if operator.name == "_pack_padded_sequence" and self.places.device(args[1]) is not None:
            raise lengths_on_device(args[1].dim(), device)

    def _note_waits(self, operator: Operator, args: Any, kwargs: Any) -> None:
        """What the host waits for and copies before the operator is queued."""
        if operator.name in _INDEXING:
            self._copy_indices(args)
        if operator.wait is not None:
            self._wait(operator.wait, args, kwargs)
        if operator.upload is not None:
            what = What(Kind.COPY, operator.upload.shown, HOST_TO_DEVICE, pageable=True)
            numbers = next(len(argument) for argument in args if isinstance(argument, list | tuple))
            for _ in range(operator.upload.copies):
                self.log.note(what, numbers * 8)

    def _placed(self, operator: Operator, func: Any, args: Any, out: Any, device: int) -> Any:
        if isinstance(out, torch.Tensor):
            halved = precision.is_halved(operator.name, args, out, self.places)
            self.places.put(out, device, halved=halved)
        elif isinstance(out, list | tuple):
            halved = precision.is_halved(operator.name, args, None, self.places)
            for tensor in tensors(out):
                self.places.put(tensor, device, halved=halved)
        if operator.launches:
            self.launched(operator, func, args, out)
        return out

    def _places_of(self, args: Any, kwargs: Any) -> tuple[int | None, list[Any], int]:
        """The device that arguments lie on, those of them that lie on the host, and how many tensors there are."""
        found: int | None = None
        on_host: list[Any] = []
        count = 0
        for tensor in tensors(args):
            count += 1
            device = self.places.device(tensor)
            if device is None:
                on_host.append(tensor)
            elif found is None:
                found = device
            elif found != device:
                raise two_devices(found, "", device)
        if kwargs:
            for tensor in tensors(kwargs.values()):
                count += 1
                device = self.places.device(tensor)
                if device is None:
                    on_host.append(tensor)
                elif found is None:
                    found = device
        return found, on_host, count

    def _surrounding(self) -> int | None:
        """The device on which a C++ function makes what it makes of no tensor."""
        if not self.surroundings:
            return None
        for tensor in tensors(self.surroundings[-1]):
            device = self.places.device(tensor)
            if device is not None:
                return device
        return None

    def _copy(self, func: Any, args: Any, kwargs: Any) -> Any:
        target, source = args[0], args[1]
        to, origin = self.places.device(target), self.places.device(source)
        if to == origin or not source.numel():
            if to is not None and to == origin and self.capture is None:
                self.launches += 1
            return self._copied(func, args, kwargs)
        blocking = not (args[2] if len(args) > 2 else kwargs.get("non_blocking", False))
        size = source.numel() * source.element_size()
        if origin is None:
            pageable = not self.places.is_pinned(source)
            self.log.note(What(Kind.COPY, self.name("copy_"), HOST_TO_DEVICE, blocking, pageable), size)
        elif to is None:
            pageable = not self.places.is_pinned(target)  # into such memory the host waits in any case
            what = What(Kind.COPY, self.name("copy_"), DEVICE_TO_HOST, blocking or pageable, pageable)
            self.log.note(what, size)
        return self._copied(func, args, kwargs)

    def _copied(self, func: Any, args: Any, kwargs: Any) -> Any:
        return func(*args, **kwargs) if self.valueless is None else self.valueless.copy(func, args, kwargs)

    def _copy_indices(self, args: Any) -> None:
        """Indices on the host go to the device, one by one. A mask on the host is searched there, and the places that
        it selects go to the device from pinned memory (IndexingUtils.h, expandTensors).
        """
        device = self.places.device(args[0])
        for index in args[1]:
            if index is None:
                continue
            if self.places.device(index) is not None:
                if device is None:
                    raise index_elsewhere()
            elif device is not None and index.dtype in MASKS:
                what = What(Kind.COPY, "mask from the host", HOST_TO_DEVICE, blocking=False)
                selected = index.numel() if index.is_meta else int(index.count_nonzero())
                self.log.note(what, selected * index.dim() * 8)
            elif device is not None:
                self.log.note(What(Kind.COPY, "index from the host", HOST_TO_DEVICE, pageable=True), index.numel() * 8)
        if (
            len(args) > 2
            and device is not None
            and self.places.device(args[2]) is None
            and not _fills(self.places, args)
        ):
            if args[2].dim():
                raise two_devices(device, "index_put_")
            # One number of the host goes along; a mask alone becomes masked_fill instead.
            self.log.note(What(Kind.COPY, "number written by an index", HOST_TO_DEVICE, pageable=True), 8)

    def _wait(self, row: OperatorWait, args: Any, kwargs: Any) -> None:
        if not _CIRCUMSTANCES[row.when](self.places, args, kwargs):
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
        self.surroundings.append(values)
        self.names.append(name)
        try:
            yield
        finally:
            self.surroundings.pop()
            self.names.pop()

    def inside(self, name: str, values: Sequence[Any], function: Callable[[], Any]) -> Any:
        """Call what stands for a function of PyTorch's C++."""
        with self.around(values, name):
            return function()

    def forget_masks(self) -> None:
        """A step has ended: what many steps ago was indexed has no backward pass to come."""
        if len(self.masks) > _MOST_MASKS:
            self.masks.clear()

    def name(self, otherwise: str) -> str:
        """The function of PyTorch that was called, if that is known."""
        return self.names[-1] if self.names and self.names[-1] else otherwise


def _asked_device(operator: Operator, args: Any, kwargs: Any) -> Any:
    """The device that C++ has parsed by itself, as it does for nested tensors; None where none is named."""
    at = operator.device_at
    if at is None:
        return None
    return args[at] if len(args) > at else kwargs.get("device")


def _described(func: Any) -> Operator:
    schema = func._schema
    name = schema.name.partition("::")[2]
    overload = f"{name}.{func._overloadname}"
    is_view = any(given.alias_info is not None and not given.alias_info.is_write for given in schema.returns)
    return Operator(
        name,
        _WAITS.get(overload) or _WAITS.get(name),
        _UPLOADS.get(name),
        launches=not is_view and name not in _NO_KERNEL,
        mixes=name in _MIX,
        strict=name in _STRICT,
        collective=is_collective(schema.name.partition("::")[0], name),
        draws=torch.Tag.nondeterministic_seeded in func.tags,
        device_at=next((at for at, argument in enumerate(schema.arguments) if argument.name == "device"), None),
    )


def _masks(places: Places, args: Any) -> bool:
    return any(index is not None and index.dtype in MASKS and places.device(index) is not None for index in args[1])


def _fills(places: Places, args: Any) -> bool:
    """Whether a write by a mask is one of a single number of the host, which needs no count of the mask."""
    accumulates = len(args) > 3 and args[3]
    indices = [index for index in args[1] if index is not None]
    is_number = args[2].numel() == 1 and places.device(args[2]) is None
    return is_number and not accumulates and len(indices) == 1 and _masks(places, args)


def _masks_written(places: Places, args: Any, kwargs: Any) -> bool:
    return not _fills(places, args) and _masks(places, args)


def _are_others(places: Places, args: Any, kwargs: Any) -> bool:
    left, right = args
    start, other = ((each.untyped_storage()._cdata, each.storage_offset()) for each in (left, right))
    same = start == other and left.stride() == right.stride() and left.dtype == right.dtype
    return left.shape == right.shape and bool(left.numel()) and not same


_CIRCUMSTANCES: dict[When, Callable[[Places, Any, Any], bool]] = {
    When.ALWAYS: lambda places, args, kwargs: True,
    When.MASK_INDEX: lambda places, args, kwargs: _masks(places, args),
    When.MASK_WRITE: _masks_written,
    When.NO_OUTPUT_SIZE: lambda places, args, kwargs: kwargs.get("output_size") is None,
    When.OTHER_VALUES: _are_others,
    When.ONE_SAMPLE: lambda places, args, kwargs: (
        args[1] == 1 or not (args[2] if len(args) > 2 else kwargs.get("replacement", False))
    ),
    When.DEVICE_VALUE: lambda places, args, kwargs: places.device(args[-1]) is not None,
    When.EQUAL_BOUNDS: lambda places, args, kwargs: (
        (args[2] if len(args) > 2 else kwargs.get("min", 0)) == (args[3] if len(args) > 3 else kwargs.get("max", 0))
    ),
    When.MANY_TEST_ELEMENTS: lambda places, args, kwargs: (
        not kwargs.get("assume_unique") and args[1].numel() >= 10 * args[0].numel() ** 0.145
    ),
    When.CHECKED: lambda places, args, kwargs: kwargs.get("lengths") is not None and not kwargs.get("unsafe"),
}
