"""A few more steps after the window, whose times are never quoted: under the PyTorch profiler, and one whose floating
point operations are counted.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from trainlint.evidence import Alive, Memory, Run
from trainlint_probe.orders import Orders
from trainlint_probe.traces.places import HOOKED_STEP
from trainlint_probe.watch.hidden import HiddenWaits
from trainlint_probe.watch.kept import alive, collect
from trainlint_probe.watch.watching import Watch

Changes = Callable[[Run], Run]
"""Adds to a run what was seen later."""

_KEPT_STEPS = 3
"""After which what is kept is looked at again. A step that happens to keep something, as one that logs, is no leak."""
_HOOKED_STEPS = 2
"""Steps in which PyTorch tells of its waits. They come after those that the trace is read for: each allocation takes
longer in them."""
_FEWEST_STEPS = 2
"""Whole steps that a trace is worth keeping for: its reader drops the first, in which recording itself starts."""


class Deeper:
    """Advanced once at each step."""

    def __init__(
        self,
        orders: Orders,
        watch: Watch,
        seen: Callable[[Changes], None],
        *,
        compiled: bool,
        memory: Callable[[], Memory | None] | None = None,
    ) -> None:
        """`compiled`: parts of the training were compiled. What runs inside a compiled graph cannot be counted.

        `memory` reads what is held, where it has grown in the window and what is kept should be looked at.
        """
        self.orders = orders
        self.watch = watch
        self.seen = seen
        self.is_done = self.is_cut_short = False
        self.stages = self._stages()
        self.counts = orders.flops and not compiled
        self.profiles = orders.deep_steps > 0 and (orders.deep_without_device or torch.accelerator.is_available())
        self.memory = memory
        self.profiled = 0
        """Steps that were recorded whole."""
        self.hidden = HiddenWaits(watch)
        self.found: dict[str, Any] = {}
        self.stage = ""
        """What goes on, for people."""

    @property
    def wanted(self) -> bool:
        """Whether there is anything to do."""
        return self.profiles or self.counts or self.memory is not None

    def advance(self) -> None:
        """A step has ended."""
        if next(self.stages, None) is None:
            self._is_over()

    def cut_short(self, why: str) -> None:
        """The script goes no further. What was seen whole is kept; `why` begins the sentence that tells it.

        There is no second try: the step that was broken off has drawn its batch and moved its parameters.
        """
        if self.is_done:
            return
        self.is_cut_short = True
        self.watch.note(f"{why} after the window, {self.stage}. What was measured in the window stands.")
        try:
            self.stages.close()
        finally:
            self._is_over()

    def _is_over(self) -> None:
        self.is_done = True
        self.seen(self._added)

    def _added(self, run: Run) -> Run:
        """The run, with what was seen here."""
        return replace(run, **self.found, seen=(*run.seen, *self.hidden.added_to(run)), notes=tuple(self.watch.notes))

    def _stages(self) -> Generator[bool, None, None]:
        """Yields while a step is to run."""
        if self.memory is not None:
            yield from self._look_at_what_is_kept(self.memory)
        if self.profiles:
            yield from self._profile()
        if self.counts:
            yield from self._count_operations()

    def _look_at_what_is_kept(self, memory: Callable[[], Memory | None]) -> Generator[bool, None, None]:
        self.stage = "while what it keeps was looked at"
        found: tuple[Alive, ...] = ()
        for more in range(_KEPT_STEPS + 1):
            collect()
            found = (*found, alive(memory()))
            if more < _KEPT_STEPS:
                yield True
        self.found["alive"] = found

    def _profile(self) -> Generator[bool, None, None]:
        from torch.profiler import ProfilerActivity, profile, record_function, supported_activities

        activities = [activity for activity in supported_activities() if activity != ProfilerActivity.MTIA]
        profiler = profile(activities=activities)
        with _quiet():
            profiler.start()
        self.watch.ranges = record_function
        try:
            for step in range(self.orders.deep_steps):
                kept = "those before it are kept" if step >= _FEWEST_STEPS else "too early for a trace"
                self.stage = f"in step {step + 1} of {self.orders.deep_steps} under the profiler, {kept}"
                with record_function(_step_name(step)):
                    yield True
                self.profiled += 1
            self.stage = "while waits inside of operators were looked for"
            hooked = self.hidden.begin()
            for _ in range(_HOOKED_STEPS if hooked else 0):
                with record_function(HOOKED_STEP):
                    yield True
                self.hidden.steps += 1
        finally:
            self.hidden.end()
            self.watch.ranges = None
            with _quiet():
                profiler.stop()
            self._keep_trace(profiler)

    def _keep_trace(self, profiler: Any) -> None:
        from trainlint_probe.own_rank import rank_and_world

        is_whole = self.profiled == self.orders.deep_steps
        if not is_whole and self.profiled < _FEWEST_STEPS:
            return
        rank, _ = rank_and_world()
        trace = Path(self.orders.output) / f"trace.rank{rank}.json.gz"
        profiler.export_chrome_trace(str(trace))
        if not is_whole:
            _unmark(trace, _step_name(self.profiled))

    def _count_operations(self) -> Generator[bool, None, None]:
        from trainlint_probe.watch.operations import Counter

        self.stage = "while operations were counted"
        counter = Counter()
        with counter.counting():
            yield True
        counted = counter.counted()
        self.found |= {"flops": counted.total, "flops_on_device": counted.on_device}
        if counted.left_out:
            what = " and ".join(counted.left_out)
            self.watch.note(f"PyTorch's counter of operations leaves out {what}: a step has more than are told here.")


def _step_name(number: int) -> str:
    """As the reader of traces knows steps."""
    return f"ProfilerStep#{number}"


def _unmark(trace: Path, step: str) -> None:
    """Take the mark of a step out of a trace: it was broken off, and would pass for a quick one."""
    with gzip.open(trace, "rt", encoding="utf-8") as stream:
        whole = json.load(stream)
    whole["traceEvents"] = [event for event in whole["traceEvents"] if event.get("name") != step]
    with gzip.open(trace, "wt", encoding="utf-8") as stream:
        json.dump(whole, stream)


@contextmanager
def _quiet() -> Iterator[None]:
    """The profiler's library tells stderr when it starts and stops."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
