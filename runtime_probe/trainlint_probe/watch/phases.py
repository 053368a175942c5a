"""What the host is doing at each moment: exactly one phase, so that the phases of a step add up to its time."""

from __future__ import annotations

import threading
from time import perf_counter_ns

from trainlint.evidence.run import Phase

PHASES = tuple(Phase)
NUMBER = {phase: number for number, phase in enumerate(PHASES)}
"""Phases are numbers where each nanosecond counts."""

_OTHER = NUMBER[Phase.OTHER]


class PhaseStack(threading.local):
    """The phases that a thread is in, the innermost last. Only the innermost one's clock runs.

    Optimizers run forward and backward inside `step(closure)`; a module called in a loader's transform waits for data.
    Times that were simply measured around each call would count such moments twice.
    """

    def __init__(self) -> None:
        self.spent = [0] * len(PHASES)
        self.stack = [_OTHER]
        self.since = perf_counter_ns()
        self.backwards = 0
        """How often this thread ran backward."""
        self.inside_module = False
        """Whether a module's forward is running: those of its parts are not looked at."""

    def enter(self, phase: int) -> None:
        """Begin a phase inside the present one."""
        now = perf_counter_ns()
        stack = self.stack
        self.spent[stack[-1]] += now - self.since
        self.since = now
        stack.append(phase)

    def leave(self) -> None:
        """End the innermost phase."""
        now = perf_counter_ns()
        self.spent[self.stack.pop()] += now - self.since
        self.since = now

    def leave_to(self, depth: int) -> None:
        """End the phases beyond a depth: an exception may have kept a hook from ending its own."""
        while len(self.stack) > depth:
            self.leave()

    def totals(self) -> tuple[int, ...]:
        """Nanoseconds that this thread has spent in each phase so far; together, all its time until now."""
        now = perf_counter_ns()
        self.spent[self.stack[-1]] += now - self.since
        self.since = now
        return tuple(self.spent)
