"""How far a long run is, on stderr where that is a terminal. Logs, pipes and short runs get nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from trainlint.engine.pool.tasks import OnProgress

AFTER = 1.0
"""Seconds. A run that ends sooner shows nothing, and does not import Rich for it."""
_EVERY = 0.1
"""Seconds between two pictures."""


@contextmanager
def progress() -> Iterator[OnProgress | None]:
    """What a run is to tell how far it is; None where nobody would see it. What was shown is gone at the end."""
    if not is_shown():
        yield None
        return
    bar = _Bar(monotonic())
    try:
        yield bar
    finally:
        bar.stop()


def is_shown() -> bool:
    """Whether stderr is a terminal that can take back what it shows. CI services may offer one that cannot."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


class _Bar:
    """Rich's progress bar, made when the run has taken a while."""

    def __init__(self, started: float) -> None:
        self._next = started + AFTER
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, doing: str, done: int, of: int) -> None:
        now = monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        if self._bar is None:
            self._bar = _rich_bar()
            self._bar.start()
        if doing not in self._tasks:
            for task in self._tasks.values():
                self._bar.update(task, visible=False)
            self._tasks[doing] = self._bar.add_task(doing, total=of)
        self._bar.update(self._tasks[doing], completed=done, total=of)
        self._bar.refresh()

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


def _rich_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # Without a thread that draws: worker processes may be forked meanwhile.
    return Progress(*columns, console=Console(file=sys.stderr), auto_refresh=False, transient=True)
