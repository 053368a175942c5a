"""Who had the cores of the machine while steps ran: the training, other programs, or nobody."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns, process_time_ns

from trainlint.evidence.run import Cores

_WAITED = Path("/proc/thread-self/schedstat")
_BUSY = Path("/proc/stat")
_SHORTEST_NS = 500_000_000
"""The system counts the time of cores in hundredths of a second: over less than this, it says too little."""


@dataclass(frozen=True, slots=True)
class CoreSample:
    """All that was counted until a moment, in nanoseconds."""

    at: int
    waited: int | None
    """For which this thread was ready to run and had no core; None where the system does not count it."""
    own: int
    """Of the cores, by all threads of this process."""
    busy: int | None
    """Of the cores that this process may use, by any program; None where the system does not tell."""


def sample_cores() -> CoreSample:
    """What was counted until now. It takes some tens of microseconds."""
    return CoreSample(perf_counter_ns(), _waited(), process_time_ns(), _busy_time())


def core_usage_between(first: CoreSample, last: CoreSample) -> Cores | None:
    """Who had the cores between two moments; None where there was no time between them."""
    whole = last.at - first.at
    if whole <= 0:
        return None
    own = (last.own - first.own) / whole
    waited = others = None
    if first.waited is not None and last.waited is not None:
        waited = min(max((last.waited - first.waited) / whole, 0.0), 1.0)
    if first.busy is not None and last.busy is not None and whole >= _SHORTEST_NS:
        others = max((last.busy - first.busy) / whole - own, 0.0)
    return Cores(available(), own, others, waited)


def available() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _waited() -> int | None:
    try:
        return int(_WAITED.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None


def _busy_time() -> int | None:
    """A line for each core: its name, and its ticks of user, nice, system, idle, iowait, irq, softirq and steal."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    ours = {f"cpu{core}" for core in os.sched_getaffinity(0)}
    try:
        lines = [line.split() for line in _BUSY.read_text(encoding="ascii").splitlines()]
        ticks = sum(int(tick) for line in lines if line[0] in ours for tick in (*line[1:4], *line[6:9]))
    except (OSError, ValueError, IndexError):
        return None
    return ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
