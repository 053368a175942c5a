"""What watching costs: each sort of hook is timed in the process that it watches, and counted in the window."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import torch
from torch.compiler import is_dynamo_compiling

from trainlint_probe.watch.calls import on_tensor
from trainlint_probe.watch.watching import Counters, Watch

_CALLS, _ROUNDS = 200, 5
_DEPTH = 12
"""Frames of a library between the user's line and the call: few stand deeper."""


def overhead(watch: Watch, first: Counters, last: Counters, steps: int) -> float:
    """Milliseconds per step that the hooks took between two readings."""
    if not steps:
        return 0.0
    direct = below = 0
    for site, (calls, _) in last.sites.items():
        made = calls - first.sites.get(site, (0, 0))[0]
        if site.via:
            below += made
        else:
            direct += made
    nested = last.nested_modules - first.nested_modules
    spent = direct * _cost(watch, 0) + below * _cost(watch, _DEPTH) + nested * _cost_of_letting_through()
    return (spent / steps + _fastest(watch.read)) / 1e6


def _cost(watch: Watch, frames: int) -> float:
    """Nanoseconds that a watched call takes longer, so many frames below the user's line."""
    scratch = Watch(watch.directory, watch.directory)
    scratch.ledger.lines = watch.ledger.lines
    plain = torch.Tensor.item
    plain = getattr(plain, "__wrapped__", plain)
    call, user, tensor = on_tensor(scratch, "", plain), _users_code(watch), torch.zeros((), device="cpu")
    return _more(lambda: user(call, tensor, frames), lambda: user(plain, tensor, frames))


def _users_code(watch: Watch) -> Callable[[Callable[[Any], object], Any, int], None]:
    """A function that the watch takes for the user's. It calls another, through so many frames of a library."""
    filename = os.path.join(watch.ledger.lines.script_directory, "calibration.py")  # noqa: PTH118 - no such file
    source = (
        "def user(function, tensor, frames):\n if frames: below(function, tensor, frames)\n else: function(tensor)\n"
    )
    names: dict[str, Any] = {"below": _below}
    exec(compile(source, filename, "exec"), names)  # noqa: S102 - code of ours, under a name of the user's
    user: Callable[[Callable[[Any], object], Any, int], None] = names["user"]
    return user


def _below(function: Callable[[Any], object], tensor: Any, frames: int) -> None:
    if frames:
        _below(function, tensor, frames - 1)
    else:
        function(tensor)


def _nothing() -> None:
    return


def _cost_of_letting_through() -> float:
    """Nanoseconds that a module inside another takes longer."""

    def through(*args: Any, **kwargs: Any) -> Any:
        return None if is_dynamo_compiling() else _nothing()

    return _more(through, _nothing)


def _more(act: Callable[[], object], without: Callable[[], object]) -> float:
    """How much longer one takes than the other, in nanoseconds."""
    return max(_fastest(act) - _fastest(without), 0.0)


def _fastest(act: Callable[[], object]) -> float:
    """Nanoseconds of one call, in the round that other programs disturbed least."""
    rounds = []
    for _ in range(_ROUNDS):
        start = perf_counter_ns()
        for _ in range(_CALLS):
            act()
        rounds.append(perf_counter_ns() - start)
    return min(rounds) / _CALLS
