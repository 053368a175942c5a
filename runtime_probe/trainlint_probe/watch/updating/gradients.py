"""What becomes of gradients between a backward and the step: cleared, filled with zeros or clipped."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import Any
from weakref import WeakKeyDictionary

import torch

from trainlint.symptoms import Symptom
from trainlint_probe.watch.ledger import Kind
from trainlint_probe.watch.lines import frame_at
from trainlint_probe.watch.watching import Watch

Function = Callable[..., Any]

_CLIPPING = ("clip_grad_norm_", "clip_grad_value_")


class Gradients:
    """Knows which backwards the optimizers have stepped with."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.used: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        """Optimizer or module → the backwards until the last time that its gradients were used or given up."""
        self.stepped_after = 0
        """The backwards until the last step of any optimizer."""

    def install(self) -> None:
        """Begin to watch."""
        for owner in (torch.optim.Optimizer, torch.nn.Module):
            self.watch.patches.put(owner, "zero_grad", self._clearing(f"{owner.__name__}.zero_grad", owner.zero_grad))
        from torch.nn.utils import clip_grad

        for name in _CLIPPING:
            clipping = self._clipping(name, getattr(clip_grad, name))
            for module in (clip_grad, torch.nn.utils):
                self.watch.patches.put(module, name, clipping)

    def stepped(self, optimizer: Any) -> None:
        """An optimizer has used its gradients."""
        self.used[optimizer] = self.stepped_after = self.watch.phases.backwards

    def _clearing(self, name: str, function: Function) -> Any:
        """A `zero_grad`: it may keep the memory and write zeros into it, and what it clears may be needed still."""
        cleared, zeroed = Kind(name, Symptom.GRADIENTS_CLEARED), Kind(name, Symptom.GRADIENTS_ZEROED)
        dropped = Kind(name, Symptom.GRADIENTS_DROPPED)
        watch = self.watch

        @functools.wraps(function)
        def wrapper(owner: Any, *args: Any, **kwargs: Any) -> Any:
            frame = frame_at(1)
            first = next(_gradients(owner), None)
            if first is not None and watch.phases.backwards > self.used.get(owner, self._used_by_default(owner)):
                watch.ledger.site(dropped, "", frame).calls += 1
                self.used[owner] = watch.phases.backwards
            gives_up = args[0] if args else kwargs.get("set_to_none", True)
            site = watch.ledger.site(cleared if gives_up else zeroed, "" if first is None else first.device.type, frame)
            start = perf_counter_ns()
            try:
                return function(owner, *args, **kwargs)
            finally:
                site.nanoseconds += perf_counter_ns() - start
                site.calls += 1

        return wrapper

    def _used_by_default(self, owner: Any) -> int:
        """Of a module it is not known which optimizer is its own: any may have stepped with its gradients."""
        return self.stepped_after if isinstance(owner, torch.nn.Module) else 0

    def _clipping(self, name: str, function: Function) -> Any:
        clipping = Kind(name, Symptom.CLIPPING)
        watch = self.watch

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            frame = frame_at(1)
            start = perf_counter_ns()
            norm = function(*args, **kwargs)
            spent = perf_counter_ns() - start
            # The parameters may be a generator, which could not be looked into before: the norm lies where they do.
            site = watch.ledger.site(clipping, norm.device.type if norm is not None else "", frame)
            site.nanoseconds += spent
            site.calls += 1
            return norm

        return wrapper


def _gradients(owner: Any) -> Iterator[torch.Tensor]:
    """The gradients that an optimizer or a module holds."""
    parameters: Any = (
        owner.parameters()
        if isinstance(owner, torch.nn.Module)
        else (parameter for group in owner.param_groups for parameter in group["params"])
    )
    return (parameter.grad for parameter in parameters if parameter.grad is not None)
