"""When each step of the optimizer ended, and what was computed until then. The part of a run that needs torch."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from time import perf_counter_ns
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from trainlint.evidence import Alive
from trainlint_probe.verify.losses import Losses
from trainlint_probe.verify.memory import host_peak
from trainlint_probe.verify.parameters import digest_and_norm
from trainlint_probe.verify.result import End, Kept, Trial
from trainlint_probe.verify.turns import Turns
from trainlint_probe.watch.afterwards.kept import collect, count_alive


class Marks:
    """The steps of the optimizer that stepped first; of the next one once that is gone.

    Both versions of a script are timed in the same way, so that it matters little which optimizer this is.
    """

    def __init__(
        self, warmup: int, steps: int, reached: Callable[[], None], turns: Turns | None = None, more_steps: int = 0
    ) -> None:
        """`reached` is called in the last step of the window. With `turns`, steps are taken in turns."""
        self._warmup = warmup
        self._compared = warmup + steps
        self._last = warmup + steps + more_steps
        self._reached = reached
        self._clock: weakref.ref[Any] | None = None
        self._name = ""
        self._at: list[int] = []
        """Nanoseconds, by the host's clock."""
        self._events: list[torch.cuda.Event] = []
        """The same moments on the device, which may lag behind the host by many steps."""
        self._turns = turns
        self._warm_step: int | None = None
        """Nanoseconds: the shortest step of the warm-up, as in the first much is made for the first time."""
        self._pauses: list[int] = []
        """Nanoseconds at each mark of the window that are no part of the step after it."""
        self._computed: Trial | None = None
        """What had been computed after the steps that are compared, where more follow."""
        self._losses = Losses()
        self._kept_at_first: Alive | None = None
        """What was there when the window opened."""

    @property
    def has_begun(self) -> bool:
        """Whether an optimizer has stepped in this process."""
        return bool(self._at)

    def install(self) -> None:
        """Begin to watch."""
        self._losses.install()
        register_optimizer_step_post_hook(self._stepped)

    def _stepped(self, optimizer: Any, args: object, kwargs: object) -> None:
        if self._clock is None or self._clock() is None:
            self._clock = weakref.ref(optimizer)
            self._name = self._name or f"{type(optimizer).__name__}.step"
        if self._clock() is not optimizer:
            return
        if len(self._at) + 1 == self._warmup:
            # Before the window's first mark: it is a part of the warm-up. What fails here must not fail the script.
            with suppress(Exception):
                self._kept_at_first = _alive_after_collection()
        self._at.append(perf_counter_ns())
        if torch.cuda.is_initialized():
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self._events.append(event)
        if len(self._at) == self._warmup:
            self._warm_step = min((second - first for first, second in pairwise(self._at)), default=None)
        if len(self._at) == self._last:
            self._reached()
        elif len(self._at) >= self._warmup:
            self._pauses.append(self._pause())

    def _pause(self) -> int:
        """Between two steps of the window. Returns the nanoseconds that it took."""
        began = perf_counter_ns()
        if len(self._at) == self._compared:
            with suppress(Exception):  # it is tried again at the end, and told there
                self._computed = self._look()
        if self._turns is not None:
            self._turns.wait(self._warm_step)
        return perf_counter_ns() - began

    def read(self, end: End) -> Trial:
        """What was seen until now. Waits for the device."""
        return replace(self._computed or self._look(), end=end, step_ms=tuple(self._milliseconds()))

    def _look(self) -> Trial:
        """What was computed until now, and what is there. Waits for the device."""
        peaks = host_peak(), self._device_peak()  # before parameters are copied to be read
        kept = self._kept_per_step()
        parameters, norm = digest_and_norm()
        return Trial(
            End.WINDOW_CLOSED,
            losses=self._losses.read(),
            parameters=parameters,
            norm=norm,
            clock=self._name,
            device="cuda" if self._events else "cpu",
            host_peak=peaks[0],
            device_peak=peaks[1],
            kept=kept,
        )

    def _kept_per_step(self) -> Kept | None:
        """What each step of the window has left behind."""
        steps = len(self._at) - self._warmup
        if self._kept_at_first is None or steps < 1:
            return None
        first, last = self._kept_at_first, _alive_after_collection()
        return Kept((last.tensors - first.tensors) / steps, (last.graph_nodes - first.graph_nodes) / steps)

    def _device_peak(self) -> int | None:
        if not self._events:
            return None
        peak: int = sum(torch.cuda.max_memory_allocated(device) for device in range(torch.cuda.device_count()))
        return peak

    def _milliseconds(self) -> list[float]:
        """The times of the steps after the warm-up."""
        if self._events and len(self._events) == len(self._at):
            torch.cuda.synchronize()
            return [first.elapsed_time(second) for first, second in pairwise(self._events[self._warmup - 1 :])]
        steps = pairwise(self._at[self._warmup - 1 :])
        return [(second - first - pause) / 1e6 for (first, second), pause in zip(steps, self._pauses, strict=False)]


def _alive_after_collection() -> Alive:
    """What is there once Python's garbage is gone."""
    collect()
    return count_alive(None)
