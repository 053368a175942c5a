"""Outermost calls of modules: forward or evaluation, and evaluation that records for a backward that never comes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from time import perf_counter_ns
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch.compiler import is_dynamo_compiling as is_compiling

from trainlint.evidence import Phase, Symptom
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.lines import frame_at
from trainlint_probe.watch.phases import NUMBER
from trainlint_probe.watch.watching import Watch

_FORWARD, _EVALUATION, _BACKWARD = NUMBER[Phase.FORWARD], NUMBER[Phase.EVALUATION], NUMBER[Phase.BACKWARD]


class _Recorded:
    """A call in eval mode whose result waits for a backward: if none comes, recording was in vain."""

    def __init__(self, site: Site, nanoseconds: int, backwards: int) -> None:
        self.site = site
        self.nanoseconds = nanoseconds
        self.backwards = backwards


def install(watch: Watch) -> list[CodeType]:
    """Watch torch.nn.Module.__call__, and say which code does."""
    kind = Kind("Module.__call__", Symptom.EVALUATION_WITH_GRADIENTS)
    phases, site_of = watch.phases, watch.ledger.site
    original = torch.nn.Module.__call__
    waiting: WeakKeyDictionary[Any, _Recorded] = WeakKeyDictionary()
    trained: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
    """Modules that are trained in eval mode, as some are when fine-tuned."""

    def settle(module: Any) -> None:
        recorded = waiting.pop(module, None)
        if recorded is None:
            return
        if recorded.backwards == phases.backwards:
            recorded.site.calls += 1
            recorded.site.nanoseconds += recorded.nanoseconds
        else:
            trained[module] = True

    @functools.wraps(original)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_compiling():
            return original(self, *args, **kwargs)
        # Inside backward, checkpointed activations are computed anew: that is backward's time.
        if phases.inside_module or phases.stack[-1] == _BACKWARD:
            watch.nested_modules += 1
            return original(self, *args, **kwargs)
        settle(self)
        evaluates = not self.training and self not in trained
        phases.inside_module = True
        phases.enter(_EVALUATION if evaluates else _FORWARD)
        start = perf_counter_ns()
        try:
            result = original(self, *args, **kwargs)
        finally:
            phases.leave()
            phases.inside_module = False
        if evaluates and torch.is_grad_enabled() and _records(result):
            waiting[self] = _Recorded(site_of(kind, "", frame_at(1)), perf_counter_ns() - start, phases.backwards)
        return result

    watching: Callable[..., Any] = wrapper
    torch.nn.Module.__call__ = watching
    return [watching.__code__]


def _records(result: Any) -> bool:
    """Whether what a module gave holds a graph for backward."""
    if isinstance(result, torch.Tensor):
        return bool(result.requires_grad)
    if isinstance(result, Mapping):
        return any(map(_records, result.values()))
    return isinstance(result, (tuple, list)) and any(map(_records, result))
