"""Of ranges that enclose each other, which one is the innermost at each moment: its own time is then the time without
what it calls.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from trainlint_probe.traces.events import HostRange

Segment = tuple[HostRange, float, float]
"""A range, and a stretch of time in which no other lies inside of it: from, to. In milliseconds."""


def by_thread(ranges: Iterable[HostRange]) -> dict[str, list[HostRange]]:
    """The ranges of each thread."""
    found: dict[str, list[HostRange]] = defaultdict(list)
    for item in ranges:
        found[item.thread].append(item)
    return found


def segments_of(ranges: Iterable[HostRange]) -> Iterator[Segment]:
    """The stretches of one thread in which some range is the innermost, in the order of time. They do not overlap, so
    that together they are as long as the ranges' union, also where rounding lets a range end after the one around it.
    """
    open_ranges: list[HostRange] = []
    at = float("-inf")
    for item in sorted(ranges, key=lambda one: (one.start, -one.end)):
        while open_ranges and open_ranges[-1].end <= item.start:
            done = open_ranges.pop()
            if done.end > at:
                yield done, at, done.end
                at = done.end
        if open_ranges and item.start > at:
            yield open_ranges[-1], at, item.start
        at = max(at, item.start)
        open_ranges.append(item)
    while open_ranges:
        done = open_ranges.pop()
        if done.end > at:
            yield done, at, done.end
            at = done.end


class Innermost:
    """Answers which range is the innermost at a moment of a thread, in O(log n)."""

    def __init__(self, ranges: Iterable[HostRange]) -> None:
        self.segments: dict[str, Sequence[Segment]] = {
            thread: list(segments_of(items)) for thread, items in by_thread(ranges).items()
        }
        self._starts = {thread: [start for _, start, _ in found] for thread, found in self.segments.items()}

    def at(self, thread: str, time: float) -> HostRange | None:
        """The innermost range there; None where there is none."""
        starts = self._starts.get(thread)
        found = bisect_right(starts, time) - 1 if starts else -1
        if found < 0:
            return None
        item, _, end = self.segments[thread][found]
        return item if time < end else None

    def within(self, start: float, end: float) -> Iterator[Segment]:
        """The segments of all threads, cut to a stretch of time."""
        for found in self.segments.values():
            for item, begins, ends in found:
                if begins < end and ends > start:
                    yield item, max(begins, start), min(ends, end)
