"""Optimizers that step: the clock's marks, their lines, and how they update (fused, foreach, for-loop)."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from time import perf_counter_ns
from typing import Any
from weakref import WeakKeyDictionary

from torch.optim.optimizer import (
    _default_to_fused_or_foreach,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from trainlint.evidence import Line, Optimizer, Phase, Symptom
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.lines import frame_at, shown
from trainlint_probe.watch.phases import NUMBER
from trainlint_probe.watch.steps import Clock, Source
from trainlint_probe.watch.watching import Watch

_OPTIMIZER = NUMBER[Phase.OPTIMIZER]


class _Stepping:
    """What is known of one optimizer."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.kind = Kind(f"{name}.step", Symptom.OPTIMIZER_STEP)
        self.site: Site | None = None
        self.steps = 0
        self.depth = 0
        """Of the phase stack, before its step."""
        self.start = 0
        self.path = ""
        self.parameters = 0


class Optimizers:
    """The optimizers of a process, by global hooks of torch."""

    def __init__(self, watch: Watch, clock: Clock) -> None:
        self.watch = watch
        self.clock = clock
        self.known: WeakKeyDictionary[Any, _Stepping] = WeakKeyDictionary()
        self.all: list[_Stepping] = []

    def install(self) -> None:
        """Begin to watch. Optimizers that exist already are seen as well."""
        register_optimizer_step_pre_hook(self._before)
        register_optimizer_step_post_hook(self._after)

    def _before(self, optimizer: Any, args: object, kwargs: object) -> None:
        stepping = self.known.get(optimizer)
        if stepping is None:
            stepping = self.known[optimizer] = _Stepping(type(optimizer).__name__, len(self.all))
            self.all.append(stepping)
        phases = self.watch.phases
        stepping.site = self.watch.ledger.site(stepping.kind, "", frame_at(1))
        stepping.depth = len(phases.stack)
        phases.enter(_OPTIMIZER)
        stepping.start = perf_counter_ns()

    def _after(self, optimizer: Any, args: object, kwargs: object) -> None:
        stepping = self.known.get(optimizer)
        if stepping is None or stepping.site is None:
            return  # its step began before the watch
        self.watch.phases.leave_to(stepping.depth)
        stepping.site.calls += 1
        stepping.site.nanoseconds += perf_counter_ns() - stepping.start
        stepping.steps += 1
        if stepping.steps == 1:
            stepping.parameters = sum(len(group["params"]) for group in optimizer.param_groups)
            stepping.path = update_path(optimizer)
        self.clock.mark(stepping, Source.OPTIMIZER, functools.partial(self._name, stepping))

    def _name(self, stepping: _Stepping) -> str:
        at = _line(stepping, self.watch.directory)
        return f"{stepping.name}.step" + (f" at {at.path}:{at.line}" if at else "")

    def read(self) -> dict[int, int]:
        """The steps of each optimizer until now."""
        return {item.number: item.steps for item in self.all}

    def between(self, first: Mapping[int, int], last: Mapping[int, int]) -> tuple[Optimizer, ...]:
        """Those that stepped between two readings."""
        return tuple(
            Optimizer(
                name=item.name,
                stepped_at=_line(item, self.watch.directory),
                steps=steps - first.get(number, 0),
                path=item.path,
                parameters=item.parameters,
            )
            for number, steps in last.items()
            for item in [self.all[number]]
            if steps > first.get(number, 0)
        )


def _line(stepping: _Stepping, directory: str) -> Line | None:
    site = stepping.site
    return Line(shown(site.path, directory), site.line) if site is not None and site.path else None


def update_path(optimizer: Any) -> str:
    """How an optimizer of torch updates its parameters, decided as torch itself decides; empty for any other's."""
    group = optimizer.param_groups[0]
    if not type(optimizer).__module__.startswith("torch.optim") or "foreach" not in group:
        return ""
    if group.get("fused"):
        return "fused"
    if group["foreach"] is not None:
        return "foreach" if group["foreach"] else "for-loop"
    with_gradients = [parameter for parameter in group["params"] if parameter.grad is not None]
    differentiable = group.get("differentiable", False)
    _, foreach = _default_to_fused_or_foreach(with_gradients, differentiable, use_fused=False)
    return "foreach" if foreach else "for-loop"
