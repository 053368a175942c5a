"""Outermost calls of modules: forward or evaluation, evaluation that records for a backward that never comes, and modes
that do not fit what is done.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from time import perf_counter_ns
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch.compiler import is_dynamo_compiling as is_compiling

from trainlint.evidence.run import Phase
from trainlint.symptoms import Symptom
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.lines import frame_at
from trainlint_probe.watch.phases import NUMBER
from trainlint_probe.watch.watching import Watch

_FORWARD, _EVALUATION, _BACKWARD = NUMBER[Phase.FORWARD], NUMBER[Phase.EVALUATION], NUMBER[Phase.BACKWARD]


class _Recorded(NamedTuple):
    """A call in eval mode whose result waits for a backward: if none comes, recording was in vain."""

    site: Site
    nanoseconds: int
    backwards: int


def install(watch: Watch) -> None:
    """Watch torch.nn.Module.__call__."""
    kind = Kind("Module.__call__", Symptom.EVALUATION_WITH_GRADIENTS)
    trains_without_backward = Kind("Module.__call__", Symptom.EVALUATED_IN_TRAINING_MODE)
    phases, site_of = watch.phases, watch.ledger.site
    original = torch.nn.Module.__call__
    waiting: WeakKeyDictionary[Any, _Recorded] = WeakKeyDictionary()
    trained: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
    """Modules that are trained in eval mode, as some are when fine-tuned."""
    switched: WeakKeyDictionary[Any, Site] = WeakKeyDictionary()
    """Modules → the line that put them into eval mode last."""

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
        if torch.is_grad_enabled():
            recorded = _recorded(result) if not self.training else None
            if recorded is not None and self in switched:
                recorded.register_hook(functools.partial(_count, switched[self]))
            if recorded is not None and evaluates:
                waiting[self] = _Recorded(site_of(kind, "", frame_at(1)), perf_counter_ns() - start, phases.backwards)
        elif self.training:
            site_of(trains_without_backward, "", frame_at(1)).calls += 1
        return result

    watch.patches.put(torch.nn.Module, "__call__", wrapper)
    _watch_switching(watch, switched)


def _watch_switching(watch: Watch, switched: WeakKeyDictionary[Any, Site]) -> None:
    """Note the lines that put modules into eval mode."""
    kind = Kind("Module.eval", Symptom.TRAINED_IN_EVALUATION_MODE)
    original = torch.nn.Module.eval

    @functools.wraps(original)
    def wrapper(self: Any) -> Any:
        switched[self] = watch.ledger.site(kind, "", frame_at(1))
        return original(self)

    watch.patches.put(torch.nn.Module, "eval", wrapper)


def _count(site: Site, gradient: torch.Tensor) -> None:
    """Backward has come to what a module in eval mode gave. Whatever a hook returns but None replaces the gradient."""
    site.calls += 1


def _recorded(result: Any) -> torch.Tensor | None:
    """The first tensor of what a module gave that holds a graph for backward."""
    if isinstance(result, torch.Tensor):
        return result if result.requires_grad else None
    if isinstance(result, Mapping):
        result = tuple(result.values())
    if isinstance(result, (tuple, list)):
        return next((found for item in result if (found := _recorded(item)) is not None), None)
    return None
