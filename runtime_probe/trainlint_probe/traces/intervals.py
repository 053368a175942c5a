"""Sets of points in time, as sorted spans that do not touch. Each function takes O(n log n) or less."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

Span = tuple[float, float]
"""From, to."""


def union(spans: Iterable[Span]) -> list[Span]:
    """The points that lie in any of the spans, in any order; empty spans and reversed ones hold no point."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def overlap(one: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    """The points that lie in both. Both are unions."""
    both: list[Span] = []
    i = j = 0
    while i < len(one) and j < len(other):
        start, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < end:
            both.append((start, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return both


def subtract(one: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    """The points of the first that do not lie in the second. Both are unions."""
    left: list[Span] = []
    j = 0
    for start, end in one:
        while j < len(other) and other[j][1] <= start:
            j += 1
        at, k = start, j
        while k < len(other) and other[k][0] < end:
            if at < other[k][0]:
                left.append((at, other[k][0]))
            at = other[k][1]
            k += 1
        if at < end:
            left.append((at, end))
        j = max(j, k - 1)
    return left


def bridged(spans: Sequence[Span], gap: float) -> list[Span]:
    """The same with the gaps that are no longer than `gap` filled. The spans are a union."""
    merged: list[Span] = []
    for start, end in spans:
        if merged and start - merged[-1][1] <= gap:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def total(spans: Iterable[Span]) -> float:
    """How long the spans are together."""
    return sum(end - start for start, end in spans)


class Coverage:
    """A union that answers many questions about stretches of time, each in O(log n)."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = union(spans)
        self._starts = [start for start, _ in self.spans]
        self._sums = [0.0, *accumulate(end - start for start, end in self.spans)]

    def within(self, start: float, end: float) -> float:
        """How much of a stretch is covered."""
        return max(self._before(end) - self._before(start), 0.0) if start < end else 0.0

    def covers(self, time: float) -> bool:
        """Whether a moment is covered."""
        return self.next_at(time) == time

    def next_at(self, time: float) -> float | None:
        """The first covered moment from a time on: that time itself where it is covered, None after the last span."""
        at = bisect_right(self._starts, time)
        if at and time < self.spans[at - 1][1]:
            return time
        return self._starts[at] if at < len(self._starts) else None

    def _before(self, time: float) -> float:
        """How much lies before a time."""
        at = bisect_right(self._starts, time)
        if not at:
            return 0.0
        start, end = self.spans[at - 1]
        return self._sums[at - 1] + min(end, time) - start
