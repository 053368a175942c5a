"""A few more steps after the window, whose times are never quoted: under the PyTorch profiler, and one whose floating
point operations are counted.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from trainlint.evidence.run import Alive, Memory, Run, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.own_rank import rank_and_world
from trainlint_probe.traces.places import WAIT
from trainlint_probe.watch.afterwards.keepers import Known, LineOfChange, keeper_of, known_tensors, new_tensors
from trainlint_probe.watch.afterwards.kept import count_alive
from trainlint_probe.watch.calls import accelerator
from trainlint_probe.watch.cuda_waits import CudaWaits
from trainlint_probe.watch.ledger import Kind
from trainlint_probe.watch.loaders import Loaders
from trainlint_probe.watch.watching import Watch

Changes = Callable[[Run], Run]
"""Adds to a run what was seen later."""

_WAIT = Kind(WAIT, Symptom.HOST_SYNC)
_KEPT_STEPS = 3
"""After which what is kept is looked at again. A step that happens to keep something, as one that logs, is no leak."""


class Deeper:
    """Advanced once at each step."""

    def __init__(
        self,
        orders: ChildSettings,
        watch: Watch,
        seen: Callable[[Changes], None],
        *,
        memory: Callable[[], Memory | None] | None = None,
        loaders: Loaders | None = None,
    ) -> None:
        """`memory` reads what is held, where it has grown in the window and what is kept should be looked at.

        `loaders` are there where the training waits for batches that it makes itself.
        """
        self.child_settings = orders
        self.watch = watch
        self.loaders = loaders
        self.seen = seen
        self.is_done = False
        self.stages = self._stages()
        self.profiles = orders.deep_steps > 0 and (orders.deep_without_device or bool(accelerator()))
        self.memory = memory
        self.found: dict[str, Any] = {}
        self.kept: tuple[Seen, ...] = ()
        """The line that keeps what steps make."""
        self.stage = ""
        """What goes on, for people; empty where little is lost if the script ends meanwhile."""

    @property
    def wanted(self) -> bool:
        """Whether there is anything to do."""
        return self.profiles or self.memory is not None or self.loaders is not None

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
        if self.stage:
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
        return replace(
            run,
            **self.found,
            seen=(*run.seen, *self.kept),
            notes=tuple(self.watch.notes),
        )

    def _stages(self) -> Generator[bool, None, None]:
        """Yields while a step is to run. What a script may end in comes last."""
        if self.memory is not None:
            yield from self._look_at_what_is_kept(self.memory)
        if self.profiles:
            yield from self._profile(self.child_settings.deep_steps)
        if self.loaders is not None:
            yield from self._hand_over(self.loaders)

    def _hand_over(self, loaders: Loaders) -> Generator[bool, None, None]:
        self.stage = ""
        loaders.keeps_batches = True
        yield True
        loaders.keeps_batches = False
        loaders.hand_over()

    def _look_at_what_is_kept(self, memory: Callable[[], Memory | None]) -> Generator[bool, None, None]:
        self.stage = "while what it keeps was looked at"
        found: tuple[Alive, ...] = ()
        known: Known = {}
        for more in range(_KEPT_STEPS + 1):
            gc.collect()  # what only refers to itself would be freed sooner or later
            known = known or known_tensors()
            found = (*found, count_alive(memory()))
            if more < _KEPT_STEPS:
                yield True
        self.found["alive"] = found
        if found[-1].graph_nodes > found[0].graph_nodes:
            yield from self._look_for_the_keeper(known)

    def _look_for_the_keeper(self, known: Known) -> Generator[bool, None, None]:
        """The line that keeps tensors which were not known when the steps began."""
        lines = self.watch.ledger.lines
        keeper = keeper_of(new_tensors(known), lines)
        if keeper is None:
            return
        change = LineOfChange(keeper, lines)
        change.start()
        try:
            yield True
        finally:
            change.stop()
        if change.found is not None:
            at = self.watch.line(*change.found)
            what = keeper.name or "an object without a name"
            self.kept = (Seen(at, Symptom.GRAPH_KEPT, what, calls=1, steps=1),)

    def _profile(self, steps: int) -> Generator[bool, None, None]:
        from torch.profiler import ProfilerActivity, profile, record_function, supported_activities

        activities = [activity for activity in supported_activities() if activity != ProfilerActivity.MTIA]
        profiler = profile(activities=activities)
        with _quiet():
            profiler.start()
        self.watch.ranges = record_function
        waits = CudaWaits(self._mark_wait)
        if torch.cuda.is_available():
            waits.start()
        try:
            for step in range(steps):
                self.stage = f"in step {step + 1} of {steps} under the profiler"
                with record_function(f"ProfilerStep#{step}"):
                    yield True
        finally:
            waits.stop()
            self.watch.ranges = None
            with _quiet():
                profiler.stop()
        rank, _ = rank_and_world()
        profiler.export_chrome_trace(str(Path(self.child_settings.output) / f"trace.rank{rank}.json.gz"))

    def _mark_wait(self, frame: FrameType) -> None:
        """A range behind a wait, with its line: CUDA tells of it when the host goes on."""
        with self.watch.range(self.watch.ledger.site(_WAIT, "cuda", frame)):
            pass


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
