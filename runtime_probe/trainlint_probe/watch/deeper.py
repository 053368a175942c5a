"""A few more steps after the window, whose times are never quoted: under the PyTorch profiler, and one whose floating
point operations are counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from trainlint_probe.orders import Orders
from trainlint_probe.watch.watching import Watch


class Deeper:
    """Advanced once at each step."""

    def __init__(self, orders: Orders, watch: Watch, seen: Callable[[dict[str, Any]], None], *, compiled: bool) -> None:
        """`compiled`: parts of the training were compiled. What runs inside a compiled graph cannot be counted."""
        self.orders = orders
        self.watch = watch
        self.seen = seen
        self.stages = iter(self._stages())
        self.counts = orders.flops and not compiled
        self.profiles = orders.deep_steps > 0 and (orders.deep_without_device or torch.accelerator.is_available())
        self.found: dict[str, Any] = {}

    @property
    def wanted(self) -> bool:
        """Whether there is anything to do."""
        return self.profiles or self.counts

    def advance(self) -> None:
        """A step has ended."""
        if next(self.stages, None) is None:
            self.seen({**self.found, "notes": tuple(self.watch.notes)})

    def _stages(self) -> Any:
        """Yields while a step is to run."""
        if self.profiles:
            yield from self._profile()
        if self.counts:
            yield from self._count_operations()

    def _profile(self) -> Any:
        from torch.profiler import ProfilerActivity, profile, record_function, supported_activities

        from trainlint_probe.recorder import rank_and_world

        activities = [activity for activity in supported_activities() if activity != ProfilerActivity.MTIA]
        profiler = profile(activities=activities)
        with _quiet():
            profiler.start()
        self.watch.ranges = record_function
        for step in range(self.orders.deep_steps):
            with record_function(f"ProfilerStep#{step}"):
                yield True
        self.watch.ranges = None
        with _quiet():
            profiler.stop()
        rank, _ = rank_and_world()
        profiler.export_chrome_trace(str(Path(self.orders.output) / f"trace.rank{rank}.json.gz"))

    def _count_operations(self) -> Any:
        from torch.utils.flop_counter import FlopCounterMode

        counter = FlopCounterMode(display=False)
        with counter:
            yield True
        self.found["flops"] = float(counter.get_total_flops())


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
