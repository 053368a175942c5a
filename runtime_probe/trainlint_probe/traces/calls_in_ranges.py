"""Which calls are made within which ranges of the host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from trainlint_probe.traces.events import HostRange
from trainlint_probe.traces.intervals import Coverage, Span


class CallsInRanges:
    """Whether calls are made within some ranges of the host."""

    def __init__(self, ranges: Iterable[HostRange]) -> None:
        spans: dict[str, list[Span]] = defaultdict(list)
        for item in ranges:
            spans[item.thread].append((item.start, item.end))
        self._threads = {thread: Coverage(found) for thread, found in spans.items()}

    def holds(self, call: HostRange | None) -> bool:
        """Whether a call begins in one of the ranges, on its thread."""
        return call is not None and call.thread in self._threads and self._threads[call.thread].covers(call.start)
