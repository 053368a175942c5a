"""PyTorch's Python surface, seen before its C++ parses a device: what is asked for on a GPU is made on the CPU, and
what a tensor says of its device is what the bookkeeping knows.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, CodeType, GetSetDescriptorType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from trainlint_probe.simulated.arguments import move_of
from trainlint_probe.simulated.copies import Copies
from trainlint_probe.simulated.descriptions.function_names import shown
from trainlint_probe.simulated.errors import no_numpy
from trainlint_probe.simulated.events import DEVICE_TO_HOST, HOST_TO_DEVICE, Kind, What
from trainlint_probe.simulated.factories import Factories
from trainlint_probe.simulated.operators import Operators
from trainlint_probe.simulated.places import PLAIN, USUAL
from trainlint_probe.simulated.without_values.unread import Unread

_Base = torch._C.TensorBase
_Handler = Callable[..., Any]
_ATTRIBUTES = frozenset(
    attribute.__get__ for attribute in vars(_Base).values() if isinstance(attribute, GetSetDescriptorType)
)
"""How attributes of tensors are read that C++ computes."""
_CHECKED = (torch.quantile, torch.nanquantile, _Base.quantile, _Base.nanquantile)
"""Functions that check values on a CPU alone."""
_LASTING = frozenset({BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType})
"""Classes of functions of which there is one object for good."""
_OF_FUNCTIONS = frozenset(
    module.__file__ for module in (torch._tensor, torch.functional, torch.nn.functional) if module.__file__
)
"""Files of PyTorch whose functions ask for modes, and then call themselves."""
_push, _pop = torch._C._push_on_torch_function_stack, torch._C._pop_torch_function_stack
_depth, _at = torch._C._len_torch_function_stack, torch._C._get_function_stack_at

_WHOEVER = (lambda: None).__code__
"""Stands for the function that asks next."""


class Surface(TorchFunctionMode):  # type: ignore[misc] # PyTorch is not read by mypy
    """Stands above autograd, for each thread of the script."""

    def __init__(self, operators: Operators, copies: Copies) -> None:
        super().__init__()
        self.operators = operators
        self.places = operators.places
        self.log = operators.log
        self.copies = copies
        self._factories = Factories(copies, self.call, self._to)
        self._names: dict[Any, str] = {}
        """What functions of C++ are called with which nothing else is done than to call them."""
        tensor = torch.Tensor.__dict__
        self._handlers: dict[Any, _Handler] = {
            _Base.device.__get__: self._device,
            _Base.is_cuda.__get__: lambda args, kwargs: self.places.device(args[0]) is not None,
            _Base.is_cpu.__get__: lambda args, kwargs: (
                self.places.device(args[0]) is None
                and (_Base.is_cpu.__get__(args[0]) or self.places.is_hidden(args[0]))
            ),
            _Base.get_device: self._get_device,
            _Base.to: self._to,
            torch._C._nn._parse_to: self._parsed,
            _Base.cuda: self._cuda,
            _Base.cpu: lambda args, kwargs: self._named("Tensor.cpu", self.copies.to_host, args[0]),
            _Base.numpy: self._numpy,
            tensor["__array__"]: self._array,
            _Base.tolist: self._tolist,
            _Base.type: self._type,
            _Base.type_as: self._type_as,
            _Base.new_tensor: self._factories.new_tensor,
            _Base.record_stream: lambda args, kwargs: None,
            tensor["__repr__"]: self._printed,
            tensor["__deepcopy__"]: self._deep_copy,
            torch.nn.functional.one_hot: self._one_hot,
            torch.ctc_loss: self._ctc_loss,
            **{function: functools.partial(self._unchecked, function) for function in _CHECKED},
        }
        if operators.valueless is not None:
            self._handlers |= Unread(operators, operators.valueless, self.call).handlers()
        functions = (*self._handlers, *self._factories.functions)
        self._codes = frozenset(function.__code__ for function in functions if hasattr(function, "__code__"))
        """Of the functions in whose place something else is done."""
        self._called: dict[int, bool] = {}
        """The number of the code of a function of PyTorch → whether nothing else is done than to call it."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.operators.is_off or self.operators.running.quiet:
            return func(*args, **kwargs)
        if types and not PLAIN.issuperset(types):
            answer = self._answered(func, types, args, kwargs)
            if answer is not NotImplemented:
                return answer
        if not kwargs and func in self._names:
            return self.call(func, args, {})
        handler = self._handlers.get(func)
        if handler is not None:
            return handler(args, kwargs)
        if func in _ATTRIBUTES:
            return func(*args)
        if func in self._factories.functions or "device" in kwargs:
            return self._factories.make(func, args, kwargs)
        if kwargs.get("pin_memory"):
            return self._factories.pinned(func, args, kwargs)
        if type(func) in _LASTING:
            self._names[func] = shown(func)
        return self.call(func, args, kwargs)

    def _answered(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """What the arguments answer that are no tensors but act as some, as the proxies of torch.fx do."""
        for kind in types:
            if not issubclass(kind, torch.Tensor):
                with self:
                    answer = kind.__torch_function__(func, types, args, kwargs)
                if answer is not NotImplemented:
                    return answer
        return NotImplemented

    def call(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Call a function of PyTorch. Those that are written in Python run with this mode on, as any code does."""
        name = self._names.get(func)
        code = None if name is not None else getattr(func, "__code__", None)
        if code is None:
            calls = self.operators.running.calls
            given = (args, tuple(kwargs.values())) if kwargs else args
            calls.append((given, shown(func) if name is None else name))
            try:
                return func(*args, **kwargs)
            finally:
                calls.pop()
        entered = self.operators.running.entered
        if entered and entered[-1] is code:  # it does not ask itself, but what it calls does, in its name
            entered[-1] = _WHOEVER
            with self:
                return func(*args, **kwargs)
        if sys._getframe(2).f_code is code:  # a method that calls the method of C++ that it overrides
            return func(*args, **kwargs)
        entered.append(code)
        _push(self)
        try:
            return func(*args, **kwargs)
        finally:
            _pop()
            entered.pop()

    def asks(self, code: CodeType, given: Sequence[Any]) -> bool:
        """Whether a function of PyTorch's Python that asks for modes is to go on without asking us: one that we call
        already, or one that we would only call.
        """
        entered = self.operators.running.entered
        if entered and (entered[-1] is code or entered[-1] is _WHOEVER):
            entered[-1] = None
            return True
        if len(given) == 1 and type(given[0]) is tuple:
            given = given[0]
        return (
            code.co_filename in _OF_FUNCTIONS
            and self._only_calls(code)
            and _depth() == 1
            and _at(0) is self
            and all(type(value) in USUAL for value in given)
        )

    def _only_calls(self, code: CodeType) -> bool:
        """Whether nothing else is done with a function than to call it."""
        known = self._called.get(id(code))
        if known is None:
            words = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            known = code not in self._codes and "device" not in words and "pin_memory" not in words
            self._called[id(code)] = known
        return known

    def _named(self, name: str, function: _Handler, *args: Any, **kwargs: Any) -> Any:
        with self.operators.around((), name):
            return function(*args, **kwargs)

    # What a tensor says of its device.

    def _device(self, args: Any, kwargs: Any) -> torch.device:
        index = self.places.device(args[0])
        if index is not None:
            return torch.device("cuda", index)
        return torch.device("cpu") if self.places.is_hidden(args[0]) else _Base.device.__get__(args[0])

    def _get_device(self, args: Any, kwargs: Any) -> int:
        index = self.places.device(args[0])
        return -1 if index is None else index

    # Moves.

    def _cuda(self, args: Any, kwargs: Any) -> Any:
        rest = list(args[1:])
        device = rest.pop(0) if rest else kwargs.get("device")
        non_blocking = rest.pop(0) if rest else kwargs.get("non_blocking", False)
        index = self.copies.current if device is None else self.copies.index(device)
        if index is None:
            raise RuntimeError(f"Invalid device, must be cuda device but got {device}")
        return self._named("Tensor.cuda", self.copies.to_device, args[0], index, non_blocking=non_blocking)

    def _to(self, args: Any, kwargs: Any) -> Any:
        tensor, asked = args[0], move_of(args[1:], kwargs)
        device, dtype = asked.device, asked.dtype
        if asked.like is not None:
            device, dtype = self._device((asked.like,), {}), asked.like.dtype
        moved = tensor
        if device is not None:
            index = self.copies.index(device)
            if index is None and torch.device(device).type != "cpu":
                return self.call(_Base.to, args, kwargs)
            move = self.copies.to_host if index is None else functools.partial(self.copies.to_device, device=index)
            moved = self._named("Tensor.to", move, tensor, non_blocking=asked.non_blocking)
        more = {"copy": True} if asked.copies and moved is tensor else {}
        if asked.memory_format is not None:
            more["memory_format"] = asked.memory_format
        if more or dtype not in (None, moved.dtype):
            moved = self.call(_Base.to, (moved, dtype or moved.dtype), more)
        return moved

    def _parsed(self, args: Any, kwargs: Any) -> Any:
        """What `Module.to` was asked for; `module.to(tensor)` means the device of that tensor."""
        device, *others = torch._C._nn._parse_to(*args, **kwargs)
        like = args[0] if args else kwargs.get("tensor")
        return (self._device((like,), {}) if isinstance(like, torch.Tensor) else device, *others)

    def _type(self, args: Any, kwargs: Any) -> Any:
        tensor = args[0]
        wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
        if wanted is None:
            name: str = _Base.type(tensor)
            return name if self.places.device(tensor) is None else name.replace("torch.", "torch.cuda.", 1)
        goes_on = args[2] if len(args) > 2 else kwargs.get("non_blocking", False)
        kind = getattr(wanted, "simulated_type", wanted)
        if isinstance(kind, str) and kind.startswith("torch.cuda."):
            moved = self.copies.to_device(tensor, self.copies.current, non_blocking=goes_on)
            return self.call(_Base.type, (moved, kind.replace("torch.cuda.", "torch.")), {})
        on_host = isinstance(kind, str) or (isinstance(kind, type) and not isinstance(kind, torch.dtype))
        moved = self.copies.to_host(tensor, non_blocking=goes_on) if on_host else tensor
        return self.call(_Base.type, (moved, kind), {})

    def _type_as(self, args: Any, kwargs: Any) -> Any:
        other = args[1] if len(args) > 1 else kwargs["other"]
        return self._to((args[0], self._device((other,), {}), other.dtype), {})

    # What hands values to the host without an operator.

    def _numpy(self, args: Any, kwargs: Any) -> Any:
        index = self.places.device(args[0])
        if index is None:
            return _Base.numpy(self._read(args[0]), *args[1:], **kwargs)
        if not kwargs.get("force"):
            raise no_numpy(index)
        return _Base.numpy(self._named("Tensor.numpy", self.copies.to_host, args[0].detach()), force=True)

    def _array(self, args: Any, kwargs: Any) -> Any:
        index = self.places.device(args[0])
        if index is not None:
            raise no_numpy(index)
        return self.call(torch.Tensor.__dict__["__array__"], (self._read(args[0]), *args[1:]), kwargs)

    def _tolist(self, args: Any, kwargs: Any) -> Any:
        if self.places.device(args[0]) is not None:
            size = args[0].numel() * args[0].element_size()
            self.log.note(What(Kind.COPY, "Tensor.tolist", DEVICE_TO_HOST, pageable=True), size)
        return self.operators.silently(_Base.tolist, self._read(args[0]), **kwargs)

    def _printed(self, args: Any, kwargs: Any) -> Any:
        """Printing reads the values by many small operators: it counts as one wait."""
        function = torch.Tensor.__dict__["__repr__"]
        index = self.places.device(args[0])
        if index is None:
            return self.call(function, (self._read(args[0]),), kwargs)
        self.log.note(What(Kind.WAIT, "printing a tensor"))
        text: str = self.operators.silently(function, self._read(args[0]), **kwargs)
        return text if "device=" in text else f"{text[:-1]}, device='cuda:{index}')"

    def _read(self, tensor: Any) -> Any:
        """The tensor, or zeros where its values were not computed."""
        if self.operators.valueless is None or not _Base.is_meta.__get__(tensor) or not self.places.is_known(tensor):
            return tensor
        return self.operators.silently(self.operators.valueless.hosted, tensor)

    def _deep_copy(self, args: Any, kwargs: Any) -> Any:
        index = self.places.device(args[0])
        copy = self.operators.silently(torch.Tensor.__dict__["__deepcopy__"], *args, **kwargs)
        if self.operators.valueless is not None and _Base.is_meta.__get__(copy):
            self.operators.silently(self.operators.valueless.share, args[0], copy, args[1])
        for source, made in ((args[0], copy), (args[0].grad, copy.grad)):
            if source is not None and made is not None and index is not None:
                self.places.put(made, index, halved=self.places.is_halved(source))
        return copy

    # Functions whose code differs between CPU and CUDA.

    def _unchecked(self, func: Any, args: Any, kwargs: Any) -> Any:
        """On a CPU, the range of the quantiles is checked; on a device, it is not (ATen, Sorting.cpp)."""
        before = self.log.muted
        self.log.muted = True
        try:
            return self.call(func, args, kwargs)
        finally:
            self.log.muted = before

    def _one_hot(self, args: Any, kwargs: Any) -> Any:
        """With a number of classes, the values are checked on a CPU alone (ATen, Onehot.cpp)."""
        function = torch.nn.functional.one_hot
        if self.places.device(args[0] if args else kwargs["tensor"]) is None:
            return self.call(function, args, kwargs)
        classes = args[1] if len(args) > 1 else kwargs.get("num_classes", -1)
        if classes == -1:
            self.log.note(What(Kind.WAIT, "one_hot without a number of classes"))
        return self._unchecked(function, args, kwargs)

    def _ctc_loss(self, args: Any, kwargs: Any) -> Any:
        """Lengths are read on the host, wherever they lie (ATen, LossCTC.cpp)."""
        given = list(args)
        for position, name in ((2, "input_lengths"), (3, "target_lengths")):
            lengths = given[position] if len(given) > position else kwargs.get(name)
            if isinstance(lengths, torch.Tensor):
                on_host = self._named("ctc_loss: lengths", self.copies.to_host, lengths)
                listed = self.operators.silently(_Base.tolist, on_host)
                if len(given) > position:
                    given[position] = listed
                else:
                    kwargs = {**kwargs, name: listed}
        reduction = given[5] if len(given) > 5 else kwargs.get("reduction", 1)
        if reduction == 1 and self.places.device(given[0]) is not None:  # the mean divides by the lengths
            self.log.note(What(Kind.COPY, "ctc_loss: lengths", HOST_TO_DEVICE, pageable=True), 8)
        return self.call(torch.ctc_loss, tuple(given), kwargs)
