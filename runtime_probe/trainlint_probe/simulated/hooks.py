"""What a run on simulated GPUs is watched by, in the place of clocks: each step's waits and copies, by line."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any

import torch

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Called, Line
from trainlint.evidence.run import Memory, Seen
from trainlint.evidence.simulation import DeviceEvent, Price, Simulated
from trainlint_probe import own_rank
from trainlint_probe.budgets import on_simulation
from trainlint_probe.budgets.watched import WholeRun
from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.simulated.events import Cause, Happened, Place
from trainlint_probe.simulated.executed import Executed
from trainlint_probe.simulated.names import MOST, machine_named
from trainlint_probe.simulated.pricing.queue import Work, corners, prices, step_time
from trainlint_probe.simulated.pricing.roofline import timed
from trainlint_probe.simulated.pricing.work import Item, Recorder
from trainlint_probe.simulated.simulation import Simulation
from trainlint_probe.watch.compiles import breaks_by_line
from trainlint_probe.watch.lines import display_path
from trainlint_probe.watch.steps import Candidate, Clock, Source
from trainlint_probe.watch.updating.optimizers import Optimizers
from trainlint_probe.watch.watching import Watch

if TYPE_CHECKING:
    from trainlint_probe.watch.afterwards.deeper import Changes, Deeper

_CHAIN = 12
"""Lines of a call chain that evidence keeps."""
_PRICED = 3
"""Steps of the window whose work is taken down, to be priced."""


class SimulatedHooks:
    """The hooks of one process."""

    def __init__(self, orders: ChildSettings, watch: Watch, clock: Clock) -> None:
        self.watch = watch
        self.clock = clock
        steps = orders.simulated_steps
        clock.child_settings = replace(
            orders, warmup=orders.simulated_warmup, warmup_limit=orders.simulated_warmup, steps=steps
        )
        gpu, devices = machine_named(orders.device)
        self.is_alone = orders.simulated_ranks > 1 or "WORLD_SIZE" not in os.environ
        """Whether this process stands for all ranks."""
        self.simulation = Simulation(
            gpu, max(devices, min(orders.simulated_ranks, MOST)), values=orders.simulated_values
        )
        self.optimizers = Optimizers(watch, clock)
        is_users, asked = watch.ledger.lines.is_users, frozenset(orders.lines_of)
        self._is_own = cache(lambda path: is_users(path) or os.path.realpath(path) in asked)
        """Whether the lines of a file are told of: of the user's, and of those that were asked for."""
        self.executed = Executed(self._is_own)
        self.deeper: Deeper | None = None
        """There is no look after the window."""
        self.traces_all = orders.compares
        """Whether lines are of interest that run before the window, too."""
        self.budget = WholeRun(watch) if orders.budget else None
        self.work = Recorder(self.simulation.places)
        self.priced: list[Sequence[Item]] = []
        """The work of the first steps of the window."""
        self._counts: dict[int, tuple[int, int]] = {}
        """The time of each mark of a clock → the number that the log then had, and how much had been launched."""

    def install(self) -> None:
        """Turn the device on for the rest of the process."""
        self.simulation.__enter__()
        self.simulation.compiling.is_on = True
        own_rank.simulated = self.is_alone
        self.simulation.operators.after_backward = self._after_backward
        self.optimizers.install()
        self.watch.read_optimizers = self.optimizers.read
        self.clock.step_ended = self._step_ended
        self.clock.memory = self._memory
        self.clock.opened = self._opened
        self.simulation.operators.executed = self.work.executed
        self.simulation.log.listeners.append(self.work.happened)
        if self.budget is not None:
            self.budget.install()
        on_simulation.begin(self.simulation, self.watch.ledger.lines)
        if self.traces_all:
            self.executed.start()

    def quietly(self) -> AbstractContextManager[None]:
        """What runs in here is not counted."""
        return self.simulation.operators.uncounted()

    def stop(self) -> None:
        """Simulate no more, so that what is told of the machine is true of this one."""
        self.executed.stop()
        self.work.is_on = False
        self.tf32 = torch.get_float32_matmul_precision() != "highest"
        on_simulation.end()
        self.simulation.__exit__(None, None, None)

    def evidence(self, clock: Candidate, steps: int) -> dict[str, Any]:
        """The fields of a Run that are known here."""
        marks, launched = zip(*(self._counts[mark.at] for mark in clock.marks), strict=True)
        events = tuple(
            sorted(
                (
                    event
                    for cause, happened in self.simulation.log.events.items()
                    if (event := self._event(cause, happened, marks)) is not None
                ),
                key=lambda event: (-event.count, event.path, event.line, event.what),
            )
        )
        works = [
            timed(items, self.simulation.gpu, self._line_of, tf32=self.tf32) for items in self.priced[:_PRICED] if items
        ]
        directory = self.watch.directory
        return {
            "counted": self.budget.between(clock) if self.budget is not None else (),
            "seen": (
                *(
                    Seen(Line(event.path, event.line), event.symptom, event.what, event.count, device="cuda")
                    for event in events
                ),
                *self._breaks(),
            ),
            "optimizers": self.optimizers.between(clock.first.optimizers, clock.last.optimizers),
            "device": "simulated cuda",
            "simulated": Simulated(
                gpu=f"NVIDIA {self.simulation.gpu.device}",
                devices=len(self.simulation.places.memory),
                events=events,
                step_ms=_mean([step_time(work) for work in works]),
                prices=self._prices(works),
                launches=(launched[-1] - launched[0]) / steps if steps else 0.0,
                peak=tuple(memory.peak for memory in self.simulation.places.memory),
                executed={
                    display_path(path, directory): tuple(sorted(lines))
                    for path, lines in sorted(self.executed.lines.items())
                },
                values=self.simulation.valueless is None,
                decided=self._lines_of(self.simulation.log.decided),
                sized=self._lines_of(self.simulation.log.sized),
                compiled=self.simulation.compiling.looked_at,
                breaks_unknown=tuple(self.simulation.compiling.unknown),
                corners_ms=tuple(map(fmean, zip(*map(corners, works), strict=True))),
            ),
        }

    def look_deeper(self, seen: Callable[[Changes], None]) -> None:
        """All was seen."""
        seen(lambda run: run)

    def _opened(self) -> None:
        if not self.traces_all:
            self.executed.start()
        self.work.is_on = True

    def _step_ended(self) -> None:
        self.simulation.log.step += 1
        self.simulation.operators.forget_masks()

    def _memory(self) -> Memory:
        if self.clock.open:
            self.priced.append(self.work.take())
            self.work.is_on = len(self.priced) < _PRICED
        self._counts[self.watch.phases.since] = self.simulation.log.step, self.simulation.operators.launches
        first = self.simulation.places.memory[0]
        return Memory(allocated=first.live, peak=first.peak)

    def _after_backward(self) -> None:
        self.watch.phases.backwards += 1
        self.clock.mark("backward", Source.BACKWARD, self.watch.name_of_backward)

    def _breaks(self) -> list[Seen]:
        """What would break the graphs of torch.compile, since the start."""
        return breaks_by_line(self.simulation.compiling.breaks, self._is_own, self.watch.directory)

    def _event(self, cause: Cause, happened: Happened, marks: Sequence[int]) -> DeviceEvent | None:
        """What happened between the first mark and the last; None where nothing did."""
        by_step: dict[int, int] = defaultdict(int)
        size = 0
        for tick, count in happened.by_step.items():
            step = bisect_right(marks, tick)
            if 0 < step < len(marks):
                by_step[step] += count
                size += happened.bytes[tick]
        if not by_step:
            return None
        at = self._users_line(cause.chain)
        what = cause.what
        return DeviceEvent(
            kind=what.kind.value,
            what=what.name,
            path=self._shown(at.path),
            line=at.line,
            function=at.function,
            chain=tuple(Called(self._shown(place.path), place.line, place.function) for place in cause.chain[:_CHAIN]),
            inside=cause.inside,
            count=sum(by_step.values()),
            steps=len(by_step),
            bytes=size,
            direction=what.direction,
            blocking=what.blocking,
            pageable=what.pageable,
            in_backward=cause.in_backward,
            forward=None if cause.forward is None else Line(self._shown(cause.forward.path), cause.forward.line),
        )

    def _line_of(self, cause: Cause) -> Line:
        at = self._users_line(cause.chain)
        return Line(self._shown(at.path), at.line)

    def _lines_of(self, chains: Iterable[Sequence[Place]]) -> tuple[Line, ...]:
        places = {self._users_line(chain) for chain in chains}
        return tuple(Line(self._shown(at.path), at.line) for at in sorted(places))

    def _prices(self, works: Sequence[Sequence[Work]]) -> tuple[Price, ...]:
        """What a step gains without the waits of each line, in the mean of the steps that were taken down."""
        by_step = [prices(work) for work in works]
        lines = dict.fromkeys(line for found in by_step for line in found)
        nothing = Interval(0.0, 0.0)
        told = [(line, _mean([found.get(line, nothing) for found in by_step])) for line in lines]
        return tuple(
            Price(line, gain)
            for line, gain in sorted(told, key=lambda pair: -pair[1].high if pair[1] else 0.0)
            if isinstance(line, Line) and gain is not None
        )

    def _users_line(self, chain: Sequence[Place]) -> Place:
        """The innermost line of the user's own code, else the innermost of all."""
        own = next((place for place in chain if self._is_own(place.path)), None)
        return own or (chain[0] if chain else Place("", 0, ""))

    def _shown(self, path: str) -> str:
        return display_path(path, self.watch.directory) if path else path


def _mean(intervals: Sequence[Interval]) -> Interval | None:
    if not intervals:
        return None
    return Interval(fmean(each.low for each in intervals), fmean(each.high for each in intervals))
