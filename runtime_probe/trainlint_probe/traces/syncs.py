"""Where the host waits for the device, and what it would gain if it did not.

The time that a host spends in a wait says little: had it not waited there, it would wait at the next place, for the
same device. What a wait costs is the work that the device did not get meanwhile. For wait i:

- blocked: from the start of the copy, or of the call that waits, to the return. A copy to or from pageable memory
  waits inside cudaMemcpyAsync, and the cudaStreamSynchronize after it takes a microsecond: both are one wait.
- bubble: how long the device idles from the return on, until it has work again.
- gap: how long the device idles until the next wait returns.
- copy: how much of the wait's own copy ran while no kernel did. Pinned memory and non_blocking=True could hide it, so
  a device that copies counts as busy for the bubble and the gap, and is counted here.

Without the wait the host may run ahead by at most `blocked`; so a step gains between min(blocked, bubble) and
min(blocked, gap + copy). Gains do not add up: without one wait the host may wait longer at the next. The bounds are a
model; where the device idles while the host is blocked, something else holds both up (another rank, a network, lost
events), and the model says nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trainlint.evidence.interval import Interval
from trainlint_probe.traces import calls as names
from trainlint_probe.traces.copies import Copy
from trainlint_probe.traces.events import HostRange, Trace
from trainlint_probe.traces.intervals import Coverage

AT_ONCE_MS = 0.1
"""Between a blocking copy and its own wait lie a few microseconds, more while a profiler records. A wait that comes
later is another line's."""
WAKING_UP_MS = 0.1
"""What a call may take by itself on an idle device: a copy of a few bytes there and back takes 10 to 60 µs."""
IDLE_SHARE = 0.25
"""If beyond that the device idles for more than this share of the blocked time, the wait was for something else ..."""
IDLE_SHARE_OF_WINDOW = 0.01
"""... if it also comes to this share of all time, under which nobody need care."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait of the host."""

    call: HostRange
    """The call that began it."""
    start: float
    end: float
    copy: Copy | None
    """The copy that was waited for, where there is one."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a wait costs, in milliseconds."""

    wait: Wait
    blocked: float
    idle: float
    """Of it, how long the device had nothing to do."""
    recoverable: Interval


def waits_of(trace: Trace, copies: Iterable[Copy]) -> list[Wait]:
    """All waits of a trace, in the order of their returns."""
    by_call = {copy.call: copy for copy in copies if copy.call}
    threads: dict[str, list[HostRange]] = defaultdict(list)
    for call in trace.calls:
        if not names.asks_only(call.name):
            threads[call.thread].append(call)
    found = [wait for calls in threads.values() for wait in _in_thread(calls, by_call)]
    return sorted(found, key=lambda wait: wait.end)


def _in_thread(calls: Sequence[HostRange], copies: Mapping[HostRange, Copy]) -> Iterator[Wait]:
    before: HostRange | None = None
    for call, after in zip(calls, (*calls[1:], None), strict=True):
        if names.waits(call.name):
            copied = before if _copies_then_waits(before, call) else None
            yield Wait(copied or call, (copied or call).start, call.end, copies.get(copied) if copied else None)
        elif names.copies(call.name) and not _copies_then_waits(call, after):
            copy = copies.get(call)
            if names.copies_and_waits(call.name) or (copy and copy.memory == "pageable"):
                yield Wait(call, call.start, call.end, copy)
        before = call


def _copies_then_waits(one: HostRange | None, other: HostRange | None) -> bool:
    """Whether two calls in a row are one blocking copy, as PyTorch makes it."""
    return (
        one is not None
        and other is not None
        and names.copies(one.name)
        and names.waits_for_stream(other.name)
        and other.start - one.end <= AT_ONCE_MS
    )


def costs_of(waits: Sequence[Wait], start: float, end: float, busy: Coverage, kernels: Coverage) -> list[Cost]:
    """What the waits that begin in a window cost.

    Args:
        waits: all of a trace, sorted by their ends.
        start: of the window.
        end: of the window.
        busy: when the device did anything, copies included.
        kernels: when it ran kernels.
    """
    returns = [wait.end for wait in waits]
    return [_cost(wait, returns, end, busy, kernels) for wait in waits if start <= wait.start < end]


def _cost(wait: Wait, returns: Sequence[float], end: float, busy: Coverage, kernels: Coverage) -> Cost:
    blocked = wait.end - wait.start
    following = bisect_right(returns, wait.end)
    next_return = returns[following] if following < len(returns) else max(end, wait.end)
    work = busy.next_at(wait.end)
    bubble = (next_return if work is None else work) - wait.end
    gap = (next_return - wait.end) - busy.within(wait.end, next_return)
    alone = 0.0
    if wait.copy:
        work_of_copy = wait.copy.work
        alone = work_of_copy.end - work_of_copy.start - kernels.within(work_of_copy.start, work_of_copy.end)
    low = min(blocked, bubble)
    # Where the next wait returns before the device has work again, the bubble is longer than the gap.
    high = max(low, min(blocked, gap + alone))
    return Cost(wait, blocked, blocked - busy.within(wait.start, wait.end), Interval(low, high))


def total(costs: Sequence[Cost], steps: int) -> Interval:
    """What a step gains without some waits. Their gains do not add up, so the upper end is not to be expected."""
    low = sum(cost.recoverable.low for cost in costs) / steps
    high = sum(cost.recoverable.high for cost in costs) / steps
    return Interval(low, high)


def conclusive(costs: Sequence[Cost], window_ms: float) -> bool:
    """Whether the model may speak of some waits: the device had work while the host was blocked."""
    idle = sum(max(cost.idle - WAKING_UP_MS, 0.0) for cost in costs)
    return idle <= IDLE_SHARE * sum(cost.blocked for cost in costs) or idle <= IDLE_SHARE_OF_WINDOW * window_ms
