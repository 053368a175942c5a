"""`torch.compile` on the simulated GPU: what it is given runs as it is, and a copy of the process finds graph breaks.

What a compiled kernel would do on a GPU is not known here. Where a graph breaks is: torch.compile's front end, which
finds the breaks, needs no GPU. It has to execute what it compiles, so that the first call of each compiled function is
made twice: in the training, uncompiled, and before that in a fork of the process, of which nothing comes back but the
breaks. Parameters, random numbers, and what the function keeps or prints are those of a run without this.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn, overrides
from torch.utils import _python_dispatch

from trainlint_probe.simulated.compiled.forked import in_a_copy
from trainlint_probe.watch.compiles import Break, recorded_breaks
from trainlint_probe.watch.patches import Patches, hide_from_dynamo

Function = Callable[..., Any]


class Compiling:
    """Stands for `torch.compile`, and knows the graph breaks of what was called."""

    def __init__(self, leave: Callable[[], None], *, values: bool) -> None:
        """`leave` ends the simulation; it is called in copies of the process alone. Without `values`, what is compiled
        cannot be executed.
        """
        self._leave = leave
        self._values = values
        self.is_on = False
        """Whether breaks are looked for."""
        self.looked_at = 0
        """How many functions were called since then."""
        self.breaks: dict[Break, None] = {}
        """Each once, in the order in which they were found."""
        self.unknown: dict[str, None] = {}
        """Of whose functions breaks are not all known, and why: "Net (NotImplementedError: ...)"."""
        self._known: set[Any] = set()

    def install(self, patches: Patches) -> None:
        """Put it in the place of `torch.compile`."""
        patches.put(torch, "compile", self.compile)

    def compile(self, model: Any = None, **options: Any) -> Any:
        """What `torch.compile` gives: of a module, one that holds it as `_orig_mod`; of a function, a function."""
        if model is None:
            return functools.partial(self.compile, **options)
        if options.get("disable"):
            return model
        if isinstance(model, nn.Module):
            from torch._dynamo import OptimizedModule

            return OptimizedModule(model, functools.partial(self._called, looked_at=model))
        return self._called(model, looked_at=model)

    def _called(self, function: Function, looked_at: Any) -> Function:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            if self.is_on:
                self._look(looked_at, args, kwargs)
            return function(*args, **kwargs)

        return run

    def _look(self, function: Any, args: Any, kwargs: Any) -> None:
        """The first time that such a function is called, find its breaks: they differ between training and not."""
        key = _identity(function), torch.is_grad_enabled()
        if key in self._known:
            return
        self._known.add(key)
        self.looked_at += 1
        if self._values:
            found, trouble = in_a_copy(lambda: self._found(function, args, kwargs))
            self.breaks |= dict.fromkeys(found)
        else:
            trouble = "they need values"
        if trouble:
            self.unknown[f"{_name(function)} ({trouble})"] = None

    def _found(self, function: Any, args: Any, kwargs: Any) -> tuple[list[Break], str]:
        """Compile and call it, on plain tensors of the CPU, in a process that ends after this."""
        sys.settrace(None)
        self.is_on = False
        while torch._C._len_torch_function_stack():
            overrides._pop_mode()
        while torch._C._len_torch_dispatch_stack():
            _python_dispatch._pop_mode()
        self._leave()
        torch.set_num_threads(1)
        torch._dynamo.reset()
        hide_from_dynamo()
        try:
            torch.compile(function, backend="eager")(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the training may meet it too, and tells of it
            return recorded_breaks(), f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        return recorded_breaks(), ""


def _identity(function: Any) -> Any:
    """The same for functions whose graphs are the same: layers of one kind are compiled once."""
    owner = getattr(function, "__self__", function)
    if isinstance(owner, nn.Module):
        return tuple(type(module) for module in owner.modules()), owner.training, getattr(function, "__name__", "")
    return getattr(function, "__code__", None) or id(function)


def _name(function: Any) -> str:
    owner = getattr(function, "__self__", function)
    return type(owner).__name__ if isinstance(owner, nn.Module) else getattr(function, "__qualname__", str(function))
