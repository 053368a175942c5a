"""Guarded wrappers at the few calls that may cost a step dearly: each counts, times and names the user's line.

They add no synchronisation, and step aside while torch.compile traces, so that they cause no graph break.
"""

from __future__ import annotations

import copy
import functools
import gc
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import torch
from torch.compiler import is_dynamo_compiling as is_compiling

from trainlint.evidence.run import Phase
from trainlint.symptoms import Symptom
from trainlint_probe.watch.ledger import Kind, KnownPlaces, Site
from trainlint_probe.watch.lines import frame_at
from trainlint_probe.watch.phases import NUMBER
from trainlint_probe.watch.watching import Watch

Function = Callable[..., Any]
Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
Find = Callable[[Arguments, Keywords], Site]


_DEVICE_MODULES = "cuda xpu mps accelerator".split()
"""Modules of torch with a function `synchronize`."""
_COLLECTIVES = (
    "all_reduce all_gather all_gather_into_tensor all_gather_object all_to_all all_to_all_single barrier broadcast "
    "broadcast_object_list gather gather_object monitored_barrier recv reduce reduce_scatter reduce_scatter_tensor "
    "scatter scatter_object_list send"
).split()


def install(watch: Watch) -> None:
    """Put the wrappers in place. A call that this torch does not have is left out."""
    for name in ("to", "cuda") if accelerator() else ():
        _replace(watch, torch.Tensor, name, functools.partial(_transfer, watch, f"Tensor.{name}"))
    for module in _DEVICE_MODULES:
        owner = getattr(torch, module, None)
        for name, symptom in (("synchronize", Symptom.HOST_SYNC), ("empty_cache", Symptom.CACHE_EMPTIED)):
            _replace(
                watch,
                owner,
                name,
                functools.partial(watched, watch, Kind(f"torch.{module}.{name}", symptom), device=module),
            )
    for name in ("Event", "Stream"):
        kind = Kind(f"torch.cuda.{name}.synchronize", Symptom.HOST_SYNC)
        wrap = functools.partial(watched, watch, kind, device="cuda")
        _replace(watch, getattr(torch.cuda, name), "synchronize", wrap)
    _replace(watch, torch.autograd, "backward", functools.partial(_backward, watch))
    asked = Kind("torch.autograd.grad", Symptom.BACKWARD)  # it leaves no gradients behind, and so is no micro-batch
    _replace(watch, torch.autograd, "grad", functools.partial(watched, watch, asked, phase=Phase.BACKWARD))
    for owner, name, symptom in (
        (gc, "collect", Symptom.GARBAGE_COLLECTION),
        (copy, "deepcopy", Symptom.DEEP_COPY),
        (torch, "compile", Symptom.COMPILE_CALL),
    ):
        _replace(watch, owner, name, functools.partial(watched, watch, Kind(f"{owner.__name__}.{name}", symptom)))
    if torch.distributed.is_available():
        from torch.distributed import distributed_c10d

        for name in _COLLECTIVES:
            kind = Kind(f"torch.distributed.{name}", Symptom.COLLECTIVE)
            _replace(watch, distributed_c10d, name, functools.partial(_collective, watch, kind))
            if hasattr(torch.distributed, name):
                watch.patches.put(torch.distributed, name, getattr(distributed_c10d, name))


def accelerator() -> str:
    """The first sort of device besides the CPU that PyTorch finds on this machine; empty where there is none."""
    modules = ((name, getattr(torch, name, None)) for name in ("cuda", "xpu", "mps"))
    return next((name for name, module in modules if getattr(module, "is_available", bool)()), "")


def watched(watch: Watch, kind: Kind, function: Function, phase: Phase | None = None, *, device: str = "") -> Function:
    """A function whose calls are counted and timed at the user's line, in a phase of their own where one is named.

    `device` is the one that all its calls are about, where there is such a one.
    """
    known: KnownPlaces = {}

    def find(args: Arguments, kwargs: Keywords) -> Site:
        frame = frame_at(2)
        return known.get((id(frame.f_code), frame.f_lasti)) or watch.ledger.found(known, kind, device, frame)

    return _timed(watch, function, find, phase)


def _collective(watch: Watch, kind: Kind, function: Function) -> Function:
    """A call that exchanges tensors, or objects, between ranks."""

    def find(args: Arguments, kwargs: Keywords) -> Site:
        return watch.ledger.site(kind, _device_among((*args, *kwargs.values())), frame_at(2))

    return _timed(watch, function, find)


def _timed(watch: Watch, function: Function, find: Find, phase: Phase | None = None) -> Function:
    """A function whose calls are counted and timed at the site that `find` gives for the arguments and its caller's
    caller.

    To ask a function for the site takes 13 to 22 ns longer than to have its lines in here, of 780 (CPython 3.11).
    """
    phases, number = watch.phases, None if phase is None else NUMBER[phase]
    nowhere = watch.ledger.nowhere

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if is_compiling():
            return function(*args, **kwargs)
        site = find(args, kwargs)
        if site is nowhere and number is None:
            site.calls += 1
            return function(*args, **kwargs)
        if number is not None:
            phases.enter(number)
        start = perf_counter_ns()
        try:
            if watch.ranges is None:
                return function(*args, **kwargs)
            with watch.range(site):
                return function(*args, **kwargs)
        finally:
            spent = perf_counter_ns() - start
            site.nanoseconds += spent
            site.calls += 1
            if site.fastest is None or spent < site.fastest:
                site.fastest = spent
            if number is not None:
                phases.leave()

    return wrapper


def _transfer(watch: Watch, name: str, function: Function) -> Function:
    """A call that may move a tensor to another device; one that changes its type alone is none of ours."""
    phase = Phase.HOST_TO_DEVICE
    upload = watched(watch, Kind(name, Symptom.HOST_TO_DEVICE), function, phase)
    download = watched(watch, Kind(name, Symptom.HOST_SYNC), function, phase)

    @functools.wraps(function)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_compiling() or (name == "Tensor.to" and not _names_device(args, kwargs)):
            return function(self, *args, **kwargs)
        if not self.is_cpu:
            return download(self, *args, **kwargs)
        return (function if _is_cpu(args, kwargs) else upload)(self, *args, **kwargs)

    return wrapper


def _device_among(values: tuple[Any, ...]) -> str:
    """The type of device of the first tensor, alone or in a list."""
    for value in values:
        first = value[0] if isinstance(value, list | tuple) and value else value
        if isinstance(first, torch.Tensor):
            return _device(first)
    return ""


def _names_device(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    if kwargs.get("device") is not None or "other" in kwargs:
        return True
    return bool(args) and not isinstance(args[0], torch.dtype) and args[0] is not None


def _is_cpu(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a tensor is asked for on the CPU: by a device, its name, or a tensor that is there."""
    asked = args[0] if args else kwargs.get("device", kwargs.get("other"))
    if isinstance(asked, str):
        return asked == "cpu"
    return getattr(asked, "type", None) == "cpu" or _device(asked) == "cpu"


def _backward(watch: Watch, function: Function) -> Function:
    """torch.autograd.backward, which Tensor.backward calls as well."""
    timed = watched(watch, Kind("backward", Symptom.BACKWARD), function, Phase.BACKWARD)
    under_autocast = Kind("backward", Symptom.BACKWARD_IN_AUTOCAST)
    phases = watch.phases

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if is_compiling():
            return function(*args, **kwargs)
        phases.backwards += 1
        watch.before_backward()
        if _is_under_autocast():
            watch.ledger.site(under_autocast, "", frame_at(1)).calls += 1
        result = timed(*args, **kwargs)
        watch.after_backward()
        return result

    return wrapper


def _is_under_autocast() -> bool:
    try:
        return bool(torch.is_autocast_enabled("cuda") or torch.is_autocast_enabled("cpu"))
    except TypeError:
        return bool(torch.is_autocast_enabled())  # before torch 2.4 it took no device


def _device(tensor: Any) -> str:
    """The type of the device that a value lies on; empty for what is no tensor."""
    if getattr(tensor, "is_cpu", False):
        return "cpu"
    device = getattr(tensor, "device", None)
    return str(getattr(device, "type", ""))


def _replace(watch: Watch, owner: Any, name: str, wrap: Callable[[Function], Function]) -> None:
    function = getattr(owner, name, None)
    if function is not None:
        watch.patches.put(owner, name, wrap(function))
