"""What watching costs: each sort of hook is timed in the process that it watches, and counted in the window.

It is timed as it is called: as a method, at a line of its own, in a tight loop and after work that has emptied the
processor's caches. The first call of a line in a step is one of the latter.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import torch
from torch.compiler import is_dynamo_compiling

from trainlint.symptoms import Symptom
from trainlint_probe.watch.calls import on_tensor, watched
from trainlint_probe.watch.ledger import Kind
from trainlint_probe.watch.watching import Counters, Watch

_CALLS, _ROUNDS = 200, 5
_DEPTH = 12
"""Frames of a library between the user's line and the call: few stand deeper."""
_SAMPLES = 15
_CACHES = bytes(8 << 20)
"""Copying this leaves nothing else in the caches that belong to one core."""
_PLAIN, _WATCHED = "_trainlint_plain", "_trainlint_watched"
"""Names under which a method of tensors stands twice while it is timed."""


@dataclass(frozen=True, slots=True)
class _Cost:
    """Nanoseconds that a watched call takes longer than it would by itself."""

    first: float
    """In a step."""
    again: float
    """Right after another one."""


def overhead(watch: Watch, first: Counters, last: Counters, steps: int) -> float:
    """Milliseconds per step that the hooks took between two readings."""
    if not steps:
        return 0.0
    spent = 0.0
    costs: dict[tuple[int, bool], _Cost] = {}
    for site, (calls, _) in last.sites.items():
        made = calls - first.sites.get(site, (0, 0))[0]
        if made:
            sort = _DEPTH if site.via else 0, site is watch.ledger.passed_by
            if sort not in costs:
                costs[sort] = _cost(watch, *sort)
            seldom = min(made, steps)
            spent += seldom * costs[sort].first + (made - seldom) * costs[sort].again
    nested = last.nested_modules - first.nested_modules
    spent += nested * _cost_of_letting_through()
    return (spent / steps + _fastest(watch.read)) / 1e6


def _cost(watch: Watch, frames: int, is_passed_by: bool) -> _Cost:
    """What it costs to watch a call so many frames below the user's line, or to pass it by."""
    scratch = Watch(watch.directory, watch.directory)
    scratch.ledger.lines = watch.ledger.lines
    scratch.phases.only_updates = is_passed_by
    tensor = torch.zeros((), device="cpu")
    # What libraries read on the host is not looked for, but other calls of theirs are.
    wrap = (
        functools.partial(watched, scratch, Kind("", Symptom.RAN))
        if frames
        else functools.partial(on_tensor, scratch, "")
    )
    with _twice(wrap):
        ours, plain = _users_code(watch, _WATCHED), _users_code(watch, _PLAIN)
        again = _fastest_of_many(lambda: ours(tensor, _CALLS, frames)) - _fastest_of_many(
            lambda: plain(tensor, _CALLS, frames)
        )
        rarely = _after_other_work(lambda: ours(tensor, 1, frames)) - _after_other_work(
            lambda: plain(tensor, 1, frames)
        )
    again = max(again, 0.0)
    return _Cost(max(rarely, again), again)


@contextmanager
def _twice(wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
    """A method of tensors under two names, one of which is watched.

    Both are methods of the class itself: those of a subclass, or functions that are called with a tensor, take another
    way through Python and torch.
    """
    plain = torch.Tensor.item
    plain = getattr(plain, "__wrapped__", plain)
    setattr(torch.Tensor, _PLAIN, plain)
    setattr(torch.Tensor, _WATCHED, wrap(plain))
    try:
        yield
    finally:
        delattr(torch.Tensor, _PLAIN)
        delattr(torch.Tensor, _WATCHED)


def _users_code(watch: Watch, method: str) -> Callable[[Any, int, int], None]:
    """A function that the watch takes for the user's. It calls a tensor's method so often, through so many frames of
    a library.
    """
    below = _function(
        "below",
        f"""
def below(tensor, frames):
    if frames > 1:
        below(tensor, frames - 1)
    else:
        tensor.{method}()
""",
        str(Path(torch.__file__).parent),
        {},
    )
    return _function(
        "user",
        f"""
def user(tensor, times, frames):
    for _ in range(times):
        if frames:
            below(tensor, frames)
        else:
            tensor.{method}()
""",
        watch.ledger.lines.script_directory,
        {"below": below},
    )


def _function(name: str, source: str, directory: str, names: dict[str, Any]) -> Callable[..., None]:
    """A function of a module that would lie in a directory."""
    filename = str(Path(directory) / "calibration.py")
    names["__file__"] = filename
    exec(compile(source, filename, "exec"), names)  # noqa: S102 - code of ours, under a name of the user's or torch's
    function: Callable[..., None] = names[name]
    return function


def _fastest_of_many(act: Callable[[], object]) -> float:
    """Nanoseconds of one of the calls that are made in a row, in the round that other programs disturbed least."""
    return min(_time(act) for _ in range(_ROUNDS)) / _CALLS


def _after_other_work(act: Callable[[], object]) -> float:
    """Nanoseconds of one call that finds nothing of its own in the caches."""
    times = []
    for _ in range(_SAMPLES):
        bytearray(_CACHES)
        times.append(_time(act))
    return min(times)


def _time(act: Callable[[], object]) -> int:
    start = perf_counter_ns()
    act()
    return perf_counter_ns() - start


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

    def many() -> None:
        for _ in range(_CALLS):
            act()

    return _fastest_of_many(many)
