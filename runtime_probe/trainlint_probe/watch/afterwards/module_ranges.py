"""Ranges in the profiler's trace around each call of a module, named by where it stands in the model."""

from __future__ import annotations

import threading
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.profiler import record_function

from trainlint_probe.traces.places import MODULE


class ModuleRanges:
    """Opens and closes the ranges, between `start` and `stop`: by PyTorch's own hooks for all modules."""

    def __init__(self) -> None:
        self._handles: list[Any] = []
        self._paths: dict[int, tuple[torch.nn.Module, str]] = {}
        """By the module's id: itself, so that no other gets its number, and its path."""
        self._roots: set[str] = set()
        self.parameters: dict[int, str] = {}
        """The names of the parameters of modules that were called, by their ids."""
        self._open = _Open()

    def start(self) -> None:
        """From now on, each call of a module has a range."""
        self._handles = [
            register_module_forward_pre_hook(self._enter),
            # A range that an exception kept open would swallow all that follows.
            register_module_forward_hook(self._leave, always_call=True),
        ]

    def stop(self) -> None:
        """No call has one any more."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._paths.clear()

    def _enter(self, module: torch.nn.Module, arguments: object) -> None:
        opened = record_function(f"{MODULE}{self._path(module)}")
        opened.__enter__()
        self._open.calls.append((module, opened))

    def _leave(self, module: torch.nn.Module, arguments: object, result: object) -> None:
        calls = self._open.calls
        if not any(called is module for called, _ in calls):
            return  # it was called before the first range
        while calls:
            called, opened = calls.pop()
            opened.__exit__(None, None, None)
            if called is module:
                return

    def _path(self, module: torch.nn.Module) -> str:
        known = self._paths.get(id(module))
        if known is not None:
            return known[1]
        calls = self._open.calls
        if calls:  # it is called by a module that does not hold it as a part
            path = f"{self._path(calls[-1][0])}.({type(module).__name__})"
            self._paths[id(module)] = module, path
            return path
        root = self._new_root(type(module).__name__)
        for name, parameter in module.named_parameters():
            self.parameters.setdefault(id(parameter), f"{root}.{name}")
        for name, part in module.named_modules():
            self._paths.setdefault(id(part), (part, f"{root}.{name}" if name else root))
        return self._paths[id(module)][1]

    def _new_root(self, name: str) -> str:
        """A name for an outermost module: a training may have several of one class."""
        number, root = 1, name
        while root in self._roots:
            number += 1
            root = f"{name}#{number}"
        self._roots.add(root)
        return root


class _Open(threading.local):
    """The ranges that are open on a thread, the innermost last."""

    def __init__(self) -> None:
        self.calls: list[tuple[torch.nn.Module, Any]] = []
