"""The turns of two runs that share a machine: while one takes steps, the other waits between two of its own.

What else a machine does changes within tenths of a second. Two runs that follow each other meet it in different states;
two that take turns of some hundredths of a second meet the same. docs/probe.md says how much less they differ.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter_ns

from trainlint_probe.processes import descendants

TURN = "turn"
"""The pipe by which the parent gives a turn: a byte for each. It ends where the parent is gone."""
DONE = "done"
"""The pipe by which a run says that it waits."""
_LONGEST_NS = 30_000_000
"""Or one step, where that is longer."""
_FEWEST = 10
"""Turns in the window, so that short ones see all of the machine's states as well."""


class Turns:
    """Of one run. The first turn lasts to the first mark of the window."""

    def __init__(self, directory: Path, steps: int) -> None:
        self._directory = directory
        self._steps = steps
        self._ends = 0

    def wait(self, step_ns: int | None) -> None:
        """Called between two steps of the window, and before its first. Where the turn is over, waits for the next.

        Args:
            step_ns: how long a step takes, as far as it is known.
        """
        if perf_counter_ns() < self._ends:
            return
        with _stopped():
            self._say_done()
            if not self._wait_for_turn():
                end_without_parent()
        _move_to_the_last_core()
        length = _LONGEST_NS if step_ns is None else min(_LONGEST_NS, step_ns * self._steps // _FEWEST)
        self._ends = perf_counter_ns() + length

    def _say_done(self) -> None:
        try:
            pipe = os.open(self._directory / DONE, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads it
            end_without_parent()
            return
        os.write(pipe, b".")
        os.close(pipe)

    def _wait_for_turn(self) -> bool:
        """Waits for a turn; False where none will come any more."""
        with (self._directory / TURN).open("rb", buffering=0) as pipe:
            return bool(pipe.read(1))


def _move_to_the_last_core() -> None:
    """Go on with this thread where the other run had its turn, on the last of the cores that both may use.

    Of two virtual cores, one may be slower for minutes, and threads stay where they are. This one may move away again.
    """
    cores = os.sched_getaffinity(0)
    with suppress(OSError):  # the cores that a process may use can change at any time
        os.sched_setaffinity(0, {max(cores)})
        os.sched_setaffinity(0, cores)


@contextmanager
def _stopped() -> Iterator[None]:
    """The processes that this one has started stand still: a loader's workers would get ahead meanwhile."""
    processes = descendants(os.getpid())
    _signal(processes, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal(processes, signal.SIGCONT)


def _signal(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):  # it has ended meanwhile, or is another user's
            os.kill(process, number)


def end_without_parent() -> None:
    """Nobody waits for what would still be found out, and nobody else would wake what stands still."""
    _signal(descendants(os.getpid()), signal.SIGKILL)
    os._exit(1)
