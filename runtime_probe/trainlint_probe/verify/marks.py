"""When each step of the optimizer ended, and what was computed until then. The part of a run that needs torch."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
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
from trainlint_probe.watch.afterwards.kept import alive, collect


class Marks:
    """The steps of the optimizer that stepped first; of the next one once that is gone.

    Both versions of a script are timed in the same way, so that it matters little which optimizer this is.
    """

    def __init__(self, warmup: int, steps: int, reached: Callable[[], None], turns: Turns | None = None) -> None:
        """`reached` is called in the last step of the window. With `turns`, steps are taken in turns."""
        self._warmup = warmup
        self._last = warmup + steps
        self._reached = reached
        self._clock: weakref.ref[Any] | None = None
        self._name = ""
        self._at: list[int] = []
        """Nanoseconds, by the host's clock."""
        self._events: list[torch.cuda.Event] = []
        """The same moments on the device, which may lag behind the host by many steps."""
        self._turns = turns
        self._waited: list[int] = []
        """Nanoseconds for which the run has waited for its turn, at each mark of the window."""
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
                self._kept_at_first = _alive()
        self._at.append(perf_counter_ns())
        if torch.cuda.is_initialized():
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self._events.append(event)
        if len(self._at) == self._last:
            self._reached()
        elif self._turns is not None and len(self._at) >= self._warmup:
            # The shortest step of the warm-up: in the first, much is made for the first time.
            step = min((second - first for first, second in pairwise(self._at[: self._warmup])), default=None)
            self._waited.append(self._turns.wait(step))

    def read(self, end: End) -> Trial:
        """What was seen until now. Waits for the device."""
        peaks = host_peak(), self._device_peak()  # before parameters are copied to be read
        kept = self._kept()
        parameters, norm = digest_and_norm()
        return Trial(
            end,
            step_ms=tuple(self._milliseconds()),
            losses=self._losses.read(),
            parameters=parameters,
            norm=norm,
            clock=self._name,
            device="cuda" if self._events else "cpu",
            host_peak=peaks[0],
            device_peak=peaks[1],
            kept=kept,
        )

    def _kept(self) -> Kept | None:
        """What each step of the window has left behind."""
        steps = len(self._at) - self._warmup
        if self._kept_at_first is None or steps < 1:
            return None
        first, last = self._kept_at_first, _alive()
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
        waited = self._waited or [0] * len(self._at)
        steps = pairwise(self._at[self._warmup - 1 :])
        return [(second - first - pause) / 1e6 for (first, second), pause in zip(steps, waited, strict=False)]


def _alive() -> Alive:
    """What is there once Python's garbage is gone."""
    collect()
    return alive(None)
