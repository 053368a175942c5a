"""Which lines of the user's code a training spends its time at, phase by phase: looked up by a thread of our own.

Each look counts for the time since the last one. A call that holds Python's lock keeps the thread from looking, and is
found at its end: so a garbage collection of 150 ms counts for 150 ms, and not for one look.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter, defaultdict
from time import perf_counter_ns
from types import FrameType

from trainlint.evidence import Line, Sampled
from trainlint_probe.watch.lines import display_path
from trainlint_probe.watch.phases import PHASES
from trainlint_probe.watch.watching import Watch

IN_THE_WINDOW_S = 0.01
"""Seconds between two looks in steps that are timed. A look takes some tens of microseconds."""
AFTERWARDS_S = 0.001
"""Seconds between two looks in steps whose times are not quoted."""
ENOUGH = 100
"""Looks: with fewer, more steps are looked at after the window."""
_MOST = 5
"""Lines of each phase that are told."""
_LEAST = 0.05
"""The share of a phase from which a line is told."""

_Place = tuple[str, int, str, str]
"""A file, a line, the function that it is in, and the library's line that works for it ("" for none)."""


class Sampler:
    """Looks at one thread of a process."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.looks = 0
        self._spent: dict[int, Counter[_Place]] = defaultdict(Counter)
        """By the number of the phase: nanoseconds."""
        self._stop: threading.Event | None = None

    def start(self, every_s: float) -> None:
        """Begin to look at the thread that calls this."""
        self.stop()
        self._stop = threading.Event()
        arguments = (self._stop, threading.get_ident(), self.watch.phases.stack, every_s)
        threading.Thread(target=self._look_on, args=arguments, name="trainlint sampler", daemon=True).start()

    def stop(self) -> None:
        """Look no more. What was seen is kept."""
        if self._stop is not None:
            self._stop.set()
            self._stop = None

    def seen(self) -> tuple[Sampled, ...]:
        """The lines that most time of each phase went to, the largest share first."""
        found = []
        for phase, places in self._spent.items():
            whole = sum(places.values())
            for (path, line, function, via), spent in places.most_common(_MOST):
                if path and spent >= _LEAST * whole:
                    at = Line(display_path(path, self.watch.directory), line)
                    found.append(Sampled(PHASES[phase], at, function, spent / whole, via))
        return tuple(sorted(found, key=lambda item: (PHASES.index(item.phase), -item.share, item.at)))

    def _look_on(self, stop: threading.Event, thread: int, stack: list[int], every_s: float) -> None:
        last = perf_counter_ns()
        while not stop.wait(every_s):
            frame = sys._current_frames().get(thread)  # noqa: SLF001 - there is no other way to another thread's frame
            phase = stack[-1]
            now = perf_counter_ns()
            if frame is None:
                return
            self._spent[phase][self._place(frame)] += now - last
            self.looks += 1
            last = now

    def _place(self, frame: FrameType) -> _Place:
        lines, via = self.watch.ledger.lines, ""
        here: FrameType | None = frame
        while here is not None:
            filename, number = here.f_code.co_filename, here.f_lineno
            if lines.is_users(filename):
                return filename, number, here.f_code.co_name, via
            via = via or lines.of_library(here)
            here = here.f_back
        return "", 0, "", ""
