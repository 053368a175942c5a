"""What counts as a step, when the window opens, and when it closes.

The clock is an optimizer: each of its steps is a mark, and the time between two marks is a step. Where several
optimizers step (as in a GAN), it is the one with the most regular interval. Where none does, batches are the marks, or
backwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from statistics import mean, pstdev
from time import time

from trainlint.evidence.run import Cores, Memory, Phase, Step
from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.judgement.growth import growth
from trainlint_probe.watch import core_usage
from trainlint_probe.watch.phases import NUMBER, PHASES
from trainlint_probe.watch.watching import NOTHING, Counters, Watch

SETTLED = 0.2
"""The last steps of a warm-up lie within this share of each other."""
_LAST = 5
_REGULAR_BY = 2.0
"""A later optimizer takes the clock from the first only where its intervals vary less than half as much."""


_WAITS = 0.01
"""The share of all time from which a wait for batches is looked at."""
_DATA_WAIT = NUMBER[Phase.DATA_WAIT]


class Source(Enum):
    """What marks steps, the best first."""

    OPTIMIZER = 0
    LOADER = 1
    BACKWARD = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment, and all that was counted until then."""

    at: int
    """Nanoseconds."""
    phases: tuple[int, ...]
    """Nanoseconds in each phase."""
    backwards: int
    memory: Memory | None


class Candidate:
    """Something that may be the clock."""

    def __init__(self, source: Source, name: str) -> None:
        self.source = source
        self.name = name
        """As people know it: "AdamW.step at train.py:77"."""
        self.marks: list[Mark] = []
        self.warmup_marks: list[Mark] = []
        """Those before the window, once that is open."""
        self.first: Counters = NOTHING
        """What was counted until the first mark."""
        self.last: Counters = NOTHING
        """What was counted until the last."""
        self.warm: Counters | None = None
        """What was counted until the end of the shortest warm-up."""

    @property
    def steps(self) -> int:
        """How many whole steps were seen."""
        return max(len(self.marks) - 1, 0)

    def milliseconds(self) -> list[float]:
        """The time of each step."""
        return [(after.at - before.at) / 1e6 for before, after in zip(self.marks, self.marks[1:], strict=False)]

    def irregularity(self) -> float:
        """The spread of the step times in parts of their mean."""
        times = self.milliseconds()[1:] or self.milliseconds()
        return pstdev(times) / mean(times) if times and mean(times) else float("inf")

    def has_settled(self) -> bool:
        """Whether the last steps took about the same time."""
        last = self.milliseconds()[-_LAST:]
        return len(last) == _LAST and max(last) <= (1 + SETTLED) * min(last)


class Clock:
    """Collects marks, decides which are steps, and says when the window has closed."""

    def __init__(
        self,
        orders: ChildSettings,
        watch: Watch,
        *,
        closed: Callable[[], None],
        ranks: Callable[[], int] = lambda: 1,
        by_our_fault: Callable[[Callable[[], object]], object] = lambda act: act(),
    ) -> None:
        """`closed` is called at the window's last mark; `ranks` says how many processes train together.

        `by_our_fault` runs what must not look like a failure of the script where it fails.
        """
        self.child_settings = orders
        self.watch = watch
        self.chosen: Candidate | None = None
        self.warmup = 0
        """Steps of the clock before the window; meaningful once the window is open."""
        self.open = False
        self.is_closed = False
        self.opened_at = 0.0
        """When the window opened, as time.time counts; 0 where it was found only at the end."""
        self.started: float | None = None
        """When the first mark of an optimizer was set, as time.perf_counter counts."""
        self.candidates: dict[object, Candidate] = {}
        self._closed = closed
        self._ranks = ranks
        self._by_our_fault = by_our_fault
        self.memory: Callable[[], Memory | None] = lambda: None
        """Reads what memory is held."""
        self.compiled: Callable[[], int] = lambda: 0
        """How much was compiled so far."""
        self.step_ended: Callable[[], None] = lambda: None
        """Called at each mark, before anything is counted."""
        self.opened: Callable[[], None] = lambda: None
        """Called where the window opens."""
        self._compiled_at: list[int] = []
        self._at_opening: core_usage.CoreSample | None = None
        self.cores: Cores | None = None
        """Who had the cores in the window; None where it has not closed."""
        self.after_window: Callable[[], None] | None = None
        """Called at each mark of the clock once the window has closed, while more is to be learnt."""

    def forget(self) -> None:
        """Begin anew."""
        self.candidates.clear()
        self.chosen = self.started = self.after_window = None
        self.warmup = 0
        self.open = self.is_closed = False

    def mark(self, key: object, source: Source, name: Callable[[], str]) -> None:
        """Something happened that may end a step: `key` says what. `name` is asked for the first time only."""
        self._by_our_fault(lambda: self._mark(key, source, name))

    def _mark(self, key: object, source: Source, name: Callable[[], str]) -> None:
        if self.is_closed:
            if self.after_window is not None and self.chosen is self.candidates.get(key):
                self.after_window()
            return
        if self.chosen is not None and self.chosen is not self.candidates.get(key):
            return
        candidate = self.candidates.get(key)
        if candidate is None:
            candidate = self.candidates[key] = Candidate(source, name())
        self.step_ended()
        reading = self.watch.read()
        if not candidate.marks:
            candidate.first = reading
        candidate.last = reading
        phases = self.watch.phases
        totals = phases.totals()  # at this very moment: what lies between two marks is what lies between their totals
        if len(candidate.marks) == self.child_settings.warmup:
            candidate.warm = reading
        candidate.marks.append(Mark(phases.since, totals, phases.backwards, self.memory()))
        if self.started is None and (source is Source.OPTIMIZER or candidate.steps == 1):
            self.started = candidate.marks[-1].at / 1e9
        self._advance(candidate)

    def _advance(self, candidate: Candidate) -> None:
        if self.open:
            if candidate.steps >= self.child_settings.steps:
                self.is_closed = True
                self.cores = (
                    core_usage.core_usage_between(self._at_opening, core_usage.sample_cores())
                    if self._at_opening is not None
                    else None
                )
                self._closed()
            return
        if self.chosen is None:
            self.chosen = self._choose(candidate)
        if candidate is self.chosen and self._is_warm(candidate):
            self.warmup = candidate.steps
            candidate.warmup_marks, candidate.marks = candidate.marks[:-1], candidate.marks[-1:]
            candidate.first = candidate.last
            self.open, self.opened_at = True, time()
            self._at_opening = core_usage.sample_cores()
            self.opened()

    def _choose(self, candidate: Candidate) -> Candidate | None:
        """The clock, once enough was seen to tell."""
        optimizers = [item for item in self.candidates.values() if item.source is Source.OPTIMIZER]
        if not optimizers:
            return candidate if self._stands_in(candidate) else None
        if candidate.source is not Source.OPTIMIZER or candidate.steps < self.child_settings.warmup:
            return None
        if self._ranks() > 1 or len(optimizers) == 1:
            return candidate  # all ranks see the same optimizers in the same order, but not the same times
        ready = [item for item in optimizers if item.steps >= min(_LAST, self.child_settings.warmup)]
        if len(ready) < len(optimizers) and candidate.steps < self.child_settings.warmup_limit:
            return None  # the others may be slower and more regular
        best = min(ready, key=Candidate.irregularity)
        return ready[0] if ready[0].irregularity() <= _REGULAR_BY * best.irregularity() else best

    def _stands_in(self, candidate: Candidate) -> bool:
        """Whether something other than an optimizer is to mark steps, as none has stepped for long."""
        if candidate.steps < self.child_settings.fallback_after:
            return False
        batches = [item for item in self.candidates.values() if item.source is Source.LOADER]
        return candidate.source is Source.LOADER or not batches

    def _is_warm(self, candidate: Candidate) -> bool:
        self._compiled_at = [*self._compiled_at[-_LAST:], self.compiled()]
        if candidate.steps < self.child_settings.warmup:
            return False
        if self._ranks() > 1:
            return True  # all ranks must stop at the same step, so it cannot depend on what one of them measures
        if self.child_settings.warmup_limit <= self.child_settings.warmup:
            return True  # nobody asks for times
        if candidate.has_settled() and len(set(self._compiled_at)) == 1:
            return True
        if candidate.steps < self.child_settings.warmup_limit:
            return False
        self.watch.note(
            f"The steps were still unsteady after {candidate.steps} steps of warm-up: the last {_LAST} "
            f"differed by more than {SETTLED:.0%}, or something was being compiled. The measurement began "
            "anyway."
        )
        return True

    def close_at_the_end(self) -> bool:
        """The script has ended. Where its steps had not settled by then, those behind the shortest warm-up are the
        window; False where there are fewer than were asked for.
        """
        candidate = self.best_candidate()
        if self.open or candidate is None or candidate.warm is None:
            return False
        if candidate.steps < self.child_settings.warmup + self.child_settings.steps:
            return False
        self.warmup = self.child_settings.warmup
        candidate.warmup_marks, candidate.marks = candidate.marks[: self.warmup], candidate.marks[self.warmup :]
        candidate.first = candidate.warm
        self.open = self.is_closed = True
        self.watch.note(
            f"The script ended before its steps had settled; all {candidate.steps} after the first {self.warmup} are "
            "measured."
        )
        return True

    def best_candidate(self) -> Candidate | None:
        """What comes closest to a clock, for a script that has ended before there was one."""
        if self.chosen is not None:
            return self.chosen
        candidates = sorted(self.candidates.values(), key=lambda item: (item.source.value, -item.steps))
        return candidates[0] if candidates else None

    @property
    def memory_grew(self) -> bool:
        """Whether memory grew over the window of a training that no other rank takes part in: no rank may take more
        steps than the others, and what one sees the others need not.
        """
        clock = self.best_candidate()
        if clock is None or self._ranks() > 1:
            return False
        amounts = [(step, mark.memory.allocated) for step, mark in enumerate(clock.marks) if mark.memory is not None]
        return growth(amounts) is not None

    @property
    def waits_for_data(self) -> bool:
        """Whether the steps of a training of one process wait noticeably for batches."""
        clock = self.best_candidate()
        if clock is None or self._ranks() > 1 or len(clock.marks) < 2:
            return False
        first, last = clock.marks[0], clock.marks[-1]
        return last.phases[_DATA_WAIT] - first.phases[_DATA_WAIT] >= _WAITS * (last.at - first.at)

    def progress(self) -> str:
        """How far the measurement is, in a clause; empty before the first step. Any thread may ask."""
        seen = [self.chosen] if self.chosen is not None else list(self.candidates.values())
        steps = max((item.steps for item in seen), default=0)
        if self.is_closed:
            return "all steps are measured; what is left is looked at in a few more"
        if self.open:
            return f"{steps} of {self.child_settings.steps} steps measured"
        return f"{steps} of at least {self.child_settings.warmup} steps of warm-up" if steps else ""

    def others(self) -> tuple[str, ...]:
        """The optimizers that stepped and are not the clock."""
        clock = self.best_candidate()
        return tuple(
            item.name for item in self.candidates.values() if item.source is Source.OPTIMIZER and item is not clock
        )


def steps_of(candidate: Candidate, *, device: str = "") -> tuple[Step, ...]:
    """The steps between a candidate's marks. Where the CPU is the `device` of all, nothing is copied to another."""
    return tuple(
        Step(
            ms=(after.at - before.at) / 1e6,
            phases=_without_copies(_phases(before, after)) if device == "cpu" else _phases(before, after),
            micro_batches=after.backwards - before.backwards,
            memory=after.memory,
        )
        for before, after in zip(candidate.marks, candidate.marks[1:], strict=False)
    )


def _without_copies(phases: dict[Phase, float]) -> dict[Phase, float]:
    """Calls of `.to("cpu")` on tensors that are there already are work like any other."""
    copies = phases.pop(Phase.HOST_TO_DEVICE, 0.0)
    return {**phases, Phase.OTHER: phases.get(Phase.OTHER, 0.0) + copies} if copies else phases


def _phases(before: Mark, after: Mark) -> dict[Phase, float]:
    spent = (late - early for early, late in zip(before.phases, after.phases, strict=True))
    return {phase: nanoseconds / 1e6 for phase, nanoseconds in zip(PHASES, spent, strict=True) if nanoseconds}
