"""Parts of PyTorch that look at the real device of a tensor, replaced by what they do on a GPU."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch import serialization

from trainlint_probe.simulated.events import DEVICE_TO_HOST, HOST_TO_DEVICE, Kind, What
from trainlint_probe.simulated.operators import Operators
from trainlint_probe.simulated.places import Places
from trainlint_probe.simulated.surface import Surface
from trainlint_probe.watch.patches import Patches

Function = Callable[..., Any]
_PRIORITY = 5
"""Of how checkpoints name places: PyTorch asks the CPU's own first if it is lower, at 10."""


def install(patches: Patches, surface: Surface, enter: Callable[[], None]) -> None:
    """Put all in place."""
    places, operators = surface.places, surface.operators
    _ask_for_modes(patches, surface)
    _replace_everywhere(patches, "_group_tensors_by_device_and_dtype", lambda own: _grouped(places, own))
    _replace_everywhere(patches, "_engine_run_backward", lambda own: _backward(operators, own))
    _saved_tensors(patches, surface)
    _storages(patches, surface)
    _pinning(patches, places)
    _attention_switches(patches)
    _threads(patches, enter)
    patches.put(torch, "Generator", _generator(surface))
    patches.put(torch, "set_default_tensor_type", _default_type(torch.set_default_tensor_type))
    patches.put(torch._C, "_get_accelerator", lambda check=None: torch.device("cuda"))
    patches.put(torch, "_use_cudnn_rnn_flatten_weight", lambda: False)  # cuDNN joins weights; here there is none
    # Tensors are compared with the number of the device whose generator draws; here there is one generator.
    patches.put(torch.cuda.amp.common, "amp_definitely_not_available", lambda: False)


def _ask_for_modes(patches: Patches, surface: Surface) -> None:
    """A function of PyTorch's Python asks first whether it is overridden. Where we call it, it is to go on."""

    def unless_ours(own: Function) -> Function:
        @functools.wraps(own)
        def asks(*args: Any) -> bool:
            if surface.asks(sys._getframe(1).f_code, args):
                return False
            return bool(own(*args))

        return asks

    for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"):
        _replace_everywhere(patches, name, unless_ours)
    find = torch.jit._builtins._find_builtin  # torch.jit.script knows these functions by who they are
    patches.put(torch.jit._builtins, "_find_builtin", lambda asked: find(getattr(asked, "__wrapped__", asked)))


def _replace_everywhere(patches: Patches, name: str, twin: Callable[[Function], Function]) -> None:
    """In each module of PyTorch that has taken a function by its name."""
    made: dict[Function, Function] = {}
    for module in [module for path, module in list(sys.modules.items()) if path.partition(".")[0] == "torch"]:
        own = vars(module).get(name)
        if callable(own):
            if own not in made:
                made[own] = twin(own)
            patches.put(module, name, made[own])


def _grouped(places: Places, own: Function) -> Function:
    """Groups of tensors by device and type, as foreach optimizers and clipping want them."""

    @functools.wraps(own)
    def grouped(lists: Any, with_indices: bool = False) -> Any:
        groups: dict[Any, Any] = {}
        for position, tensor in enumerate(lists[0]):
            if tensor is None:
                key: Any = None
            else:
                key = (places.device(tensor), tensor.dtype)
            if key not in groups:
                groups[key] = ([[] for _ in lists], [])
            members, indices = groups[key]
            for member, values in zip(members, lists, strict=True):
                if values:
                    member.append(values[position])
            indices.append(position)
        if None in groups:
            return own(lists, with_indices)
        return {
            (torch.device("cpu") if index is None else torch.device("cuda", index), dtype): (
                members,
                indices if with_indices else [],
            )
            for (index, dtype), (members, indices) in groups.items()
        }

    return grouped


def _backward(operators: Operators, own: Function) -> Function:
    """What autograd makes of no tensor, as zeros for missing gradients, lies where the outputs lie."""

    @functools.wraps(own)
    def run(*args: Any, **kwargs: Any) -> Any:
        with operators.around(args[:1]):
            result = own(*args, **kwargs)
        if sys._getframe(1).f_code.co_name == "backward":  # and not torch.autograd.grad, which ends no micro-batch
            operators.after_backward()
        return result

    return run


def _saved_tensors(patches: Patches, surface: Surface) -> None:
    """Hooks by which checkpointing keeps and recomputes tensors are called by C++, where the mode is off."""
    own = torch._C._autograd._push_saved_tensors_default_hooks

    def with_mode(hook: Function) -> Function:
        @functools.wraps(hook)
        def run(value: Any) -> Any:
            if torch._C._is_torch_function_mode_enabled():
                return hook(value)
            with surface:
                return hook(value)

        return run

    def push(pack: Function, unpack: Function) -> None:
        own(with_mode(pack), with_mode(unpack))

    patches.put(torch._C._autograd, "_push_saved_tensors_default_hooks", push)


def _storages(patches: Patches, surface: Surface) -> None:
    """Copies of storages, and checkpoints: `torch.save` writes where a storage lies, `torch.load` puts it there."""
    places, log, copies, operators = surface.places, surface.log, surface.copies, surface.operators
    clone = torch.UntypedStorage.clone

    def cloned(self: Any) -> Any:
        made = clone(self)
        index = places.storage_device(self)
        if index is not None:
            places.hold(made, index)
        return made

    patches.put(torch.UntypedStorage, "clone", cloned)

    def tag(storage: Any) -> str | None:
        index = places.storage_device(storage) if isinstance(storage, torch.UntypedStorage) else None
        if index is None:
            return None
        log.note(What(Kind.COPY, "torch.save", DEVICE_TO_HOST, pageable=True), storage.nbytes())
        return f"cuda:{index}"

    def restore(storage: Any, location: str) -> Any:
        index = copies.index(location)
        if index is None:
            return None
        log.note(What(Kind.COPY, "torch.load", HOST_TO_DEVICE, pageable=True), storage.nbytes())
        if operators.valueless is not None:
            storage = torch.UntypedStorage(storage.nbytes(), device="meta")
        places.hold(storage, index)
        return storage

    registry = serialization._package_registry
    patches.put(
        serialization, "_package_registry", sorted([*registry, (_PRIORITY, tag, restore)], key=lambda row: row[0])
    )


def _pinning(patches: Patches, places: Places) -> None:
    """Methods of the class, as loaders pin in a thread of their own."""

    def pin_memory(self: Any, device: Any = None) -> Any:
        if places.is_pinned(self):
            return self
        copy = self.clone()
        places.pin(copy)
        return copy

    patches.put(torch.Tensor, "pin_memory", pin_memory)
    patches.put(torch.Tensor, "is_pinned", lambda self, device=None: places.is_pinned(self))


def _attention_switches(patches: Patches) -> None:
    """Which kernels of attention may be used holds for CUDA alone: on a CPU there are others."""
    state: dict[str, Any] = {}
    for kernel in ("flash", "mem_efficient", "math", "cudnn"):
        setter, getter = f"_set_sdp_use_{kernel}", f"_get_{kernel}_sdp_enabled"
        if hasattr(torch._C, setter) and hasattr(torch._C, getter):
            state[kernel] = getattr(torch._C, getter)()
            patches.put(torch._C, setter, functools.partial(state.__setitem__, kernel))
            patches.put(torch._C, getter, functools.partial(state.get, kernel))


def _threads(patches: Patches, enter: Callable[[], None]) -> None:
    """Modes belong to a thread: those that the script starts get theirs as they begin."""
    start = threading.Thread.start

    def started(self: threading.Thread) -> None:
        run = self.run

        def with_modes() -> None:
            enter()
            run()

        self.run = with_modes  # type: ignore[method-assign]
        start(self)

    patches.put(threading.Thread, "start", started)


def _generator(surface: Surface) -> type:
    own = torch.Generator

    class GeneratorType(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, own)

        def __call__(cls, device: Any = "cpu") -> Any:
            index = surface.copies.index(device)
            return own() if index is None else _OfDevice(index)

    class _OfDevice(own):  # type: ignore[misc, valid-type]
        def __new__(cls, index: int) -> Any:
            return own.__new__(cls)

        def __init__(self, index: int) -> None:
            self.index = index

        @property
        def device(self) -> torch.device:
            return torch.device("cuda", self.index)

    return GeneratorType("Generator", (), {})


def _default_type(own: Function) -> Function:
    def set_default(kind: Any) -> None:
        name = getattr(kind, "simulated_type", kind)
        if isinstance(name, str) and name.startswith("torch.cuda."):
            torch.set_default_device("cuda")
            own(name.replace("torch.cuda.", "torch."))
        else:
            own(kind)

    return set_default
