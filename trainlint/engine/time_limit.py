"""A bound on the processor time that one file may take: what takes longer is reported, not waited for.

It is a timer of the operating system, so that the code that it bounds need not ask for the time. Windows has none, and
neither have threads besides the main one: nothing is bounded there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

BYTES_AT_ONCE = 1_000_000
"""Bytes of source that are linked, or executed abstractly, within the time limit of one file: some seconds' work."""
_GRACE = 1.0
"""Seconds besides, in which a native parser may read even the largest file."""

_process_may_end = False


class TookTooLong(BaseException):
    """The time is up. It is no Exception, so that nobody who expects a rule to crash takes it for a crash."""

    def __init__(self, seconds: float) -> None:
        """`seconds` is the limit."""
        super().__init__(seconds)
        self.seconds = seconds
        self.during = ""
        """What was being done, as in "the rule TRN201"."""

    def __str__(self) -> str:
        """What happened and what to do, as a sentence."""
        during = f" (last in {self.during})" if self.during else ""
        return (
            f"it took more than {self.seconds:g} s of processor time{during} and was given up; exclude it, or raise "
            "`file-time-limit`"
        )


def let_it_end_this_process() -> None:
    """From now on, code that does not come back to Python within twice its time (and a second) ends the whole process.

    For worker processes, which others replace: a native parser cannot be stopped otherwise.
    """
    import signal

    global _process_may_end
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        _process_may_end = True


def was_out_of_time(exit_code: int | None) -> bool:
    """Whether a process with this exit code was ended by the time limit."""
    import signal

    return hasattr(signal, "SIGPROF") and exit_code == -signal.SIGPROF


def seconds_for_all(of_each: Iterable[tuple[float, int]]) -> float:
    """How much processor time the work on several files together may take.

    Of each file its time limit and its size. All together have the longest limit for each `BYTES_AT_ONCE`.
    """
    limits, sizes = zip(*of_each, strict=True)
    return float(max(limits) * (1 + sum(sizes) // BYTES_AT_ONCE))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TookTooLong in the block when this process has worked on it for so many seconds; waiting is not counted.

    Blocks do not stand within each other.
    """
    import signal  # takes 1 ms, and a run of which all is known has nothing to bound

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise TookTooLong(seconds)

    try:
        before = signal.signal(signal.SIGVTALRM, end)
    except (AttributeError, ValueError):  # not this system, not this thread
        yield
        return
    try:
        # Again and again: what is raised while Python runs a destructor is lost.
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
        if _process_may_end:
            signal.setitimer(signal.ITIMER_PROF, 2 * seconds + _GRACE)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGVTALRM, before)
