"""How long a step takes on a named GPU, and what each wait costs, by a queue: the host queues operators one after the
other, the device works through them in order, and a wait holds the host until the queue is empty.

The same queue without one wait gives its price. Neither the host's pace nor the share of its peak that a device
reaches is known, so each answer is an interval over the corners of what is usual.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from trainlint.evidence.interval import Interval


class Work(NamedTuple):
    """One thing that the host does for the device."""

    seconds: tuple[float, float]
    """What the device takes for it at best and at worst."""
    waits: bool = False
    """Whether the host stands still until the device has done it and all before it."""
    name: Hashable = None
    """Whose wait it is: those of one name are priced together."""
    queued: bool = True
    """Whether the host hands it over by itself, and not within a graph."""


HOST = (4e-6, 12e-6)
"""Seconds for which the host is busy with an operator: Python, the dispatcher and the launch of a kernel."""
WAIT = (5e-6, 20e-6)
"""Seconds that a wait takes by itself, at best and at worst: the copy of a number and the return of the driver."""
KERNEL = 2e-6
"""Seconds that a kernel takes at least, however little it does."""


def step_time(work: Sequence[Work], without: Hashable = None) -> Interval:
    """Milliseconds of a step; `without` the waits of that name."""
    times = corners(work, without)
    return Interval(min(times), max(times))


def corners(work: Sequence[Work], without: Hashable = None) -> tuple[float, ...]:
    """Milliseconds of a step at each corner of what is usual: a fast and a slow host, each with the device at its best
    and at its worst.
    """
    return tuple(_seconds(work, pace, slow, without) * 1e3 for pace in HOST for slow in (0, 1))


def prices(work: Sequence[Work]) -> Mapping[Hashable, Interval]:
    """Each name → what a step gains without its waits, in milliseconds."""
    names = dict.fromkeys(item.name for item in work if item.waits and item.name is not None)
    found = {}
    for name in names:
        gains = [one - other for one, other in zip(corners(work), corners(work, name), strict=True)]
        found[name] = Interval(max(0.0, min(gains)), max(0.0, *gains))
    return found


def _seconds(work: Sequence[Work], pace: float, slow: int, without: Hashable) -> float:
    """How long the host and the device take together, from the first operator to the last's end."""
    host = device = 0.0
    for item in work:
        host += pace * item.queued
        device = max(device, host) + item.seconds[slow]
        if item.waits and (without is None or item.name != without):
            host = max(host, device) + WAIT[slow]
    return max(host, device)
