"""What reads the time: the host's clock, and the events of a device."""

from __future__ import annotations

CLOCKS = frozenset(
    "time perf_counter monotonic perf_counter_ns time_ns monotonic_ns default_timer process_time".split()
)
"""The last names of functions that read the host's clock."""
ELAPSED_TIME = "elapsed_time"
"""The method of an event that gives the time since another. Both must have been reached by then."""


def reads_time(name: str) -> bool:
    """Whether a function or method of this name reads the host's clock or the time between two events."""
    return name in CLOCKS or name == ELAPSED_TIME
