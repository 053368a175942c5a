"""Optimizers that step: the clock's marks, their lines, and how they update (fused, foreach, for-loop)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from time import perf_counter_ns
from typing import Any
from weakref import WeakKeyDictionary

from torch.optim.optimizer import (
    _default_to_fused_or_foreach,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from trainlint.evidence.run import Optimizer, Phase
from trainlint.symptoms import Symptom
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.lines import frame_at
from trainlint_probe.watch.phases import NUMBER
from trainlint_probe.watch.steps import Clock, Source
from trainlint_probe.watch.updating.gradients import Gradients
from trainlint_probe.watch.watching import Watch

_OPTIMIZER, _OTHER = NUMBER[Phase.OPTIMIZER], NUMBER[Phase.OTHER]


class _Stepping:
    """What is known of one optimizer."""

    def __init__(self, optimizer: Any, number: int) -> None:
        self.name = name = type(optimizer).__name__
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
        self.gradients = Gradients(watch)
        self.known: WeakKeyDictionary[Any, _Stepping] = WeakKeyDictionary()
        self.all: list[_Stepping] = []
        self.after_step: Callable[[], None] = lambda: None

    def install(self) -> None:
        """Begin to watch. Optimizers that exist already are seen stepping as well."""
        register_optimizer_step_pre_hook(self._before)
        register_optimizer_step_post_hook(self._after)
        self.gradients.install()

    def _before(
        self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """What a hook gives back takes the place of the step's arguments."""
        stepping = self.known.get(optimizer)
        if stepping is None:
            stepping = self.known[optimizer] = _Stepping(optimizer, len(self.all))
            self.all.append(stepping)
        phases = self.watch.phases
        stepping.site = self.watch.ledger.site(stepping.kind, "", frame_at(1))
        stepping.depth = len(phases.stack)
        phases.enter(_OPTIMIZER)
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        stepping.start = perf_counter_ns()
        if closure is None:
            return None
        watched = self._of_the_user(closure)
        return ((args[0], watched, *args[2:]), kwargs) if len(args) > 1 else (args, {**kwargs, "closure": watched})

    def _of_the_user(self, closure: Callable[[], Any]) -> Callable[[], Any]:
        """A closure, as Lightning hands each step one: what it does is the user's work, and not the optimizer's."""
        phases = self.watch.phases

        @functools.wraps(closure, updated=())
        def watched() -> Any:
            phases.enter(_OTHER)
            try:
                return closure()
            finally:
                phases.leave()

        return watched

    def _after(self, optimizer: Any, args: object, kwargs: object) -> None:
        stepping = self.known.get(optimizer)
        if stepping is None or stepping.site is None:
            return  # its step began before the watch
        self.gradients.stepped(optimizer)
        self.after_step()
        self.watch.phases.leave_to(stepping.depth)
        stepping.site.calls += 1
        stepping.site.nanoseconds += perf_counter_ns() - stepping.start
        stepping.steps += 1
        if stepping.steps == 1:
            stepping.parameters = sum(len(group["params"]) for group in optimizer.param_groups)
            stepping.path = update_path(optimizer)
        self.clock.mark(stepping, Source.OPTIMIZER, functools.partial(self._name, stepping))

    def _name(self, stepping: _Stepping) -> str:
        at = self.watch.line_of(stepping.site)
        return f"{stepping.name}.step" + (f" at {at.path}:{at.line}" if at else "")

    def read(self) -> dict[int, int]:
        """The steps of each optimizer until now."""
        return {item.number: item.steps for item in self.all}

    def between(self, first: Mapping[int, int], last: Mapping[int, int]) -> tuple[Optimizer, ...]:
        """Those that stepped between two readings."""
        return tuple(
            Optimizer(
                name=item.name,
                stepped_at=self.watch.line_of(item.site),
                steps=steps - first.get(number, 0),
                path=item.path,
                parameters=item.parameters,
            )
            for number, steps in last.items()
            for item in [self.all[number]]
            if steps > first.get(number, 0)
        )


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
