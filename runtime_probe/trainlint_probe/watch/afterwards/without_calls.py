"""What calls cost that a training can do without: blocks of steps in turn with these calls and without.

A clock around a call sees less than the call costs: a collection of garbage pushes out of the caches what the next step
needs, and a saved file is still being written when `torch.save` has returned.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace

from trainlint.evidence import Interval, Seen
from trainlint_probe.judgement.verdicts import THRESHOLD
from trainlint_probe.watch.afterwards.cost import saved_without
from trainlint_probe.watch.ledger import Reading
from trainlint_probe.watch.watching import OMITTED, Watch


class WithoutCalls:
    """The measurement of each such call that takes much of a step, and happens in each."""

    def __init__(self, watch: Watch, step_ms: float, names: Iterable[str]) -> None:
        self.watch = watch
        self.step_ms = step_ms
        self.names = tuple(names)
        self.gains: dict[str, Interval] = {}
        """Milliseconds a step, of all lines with this call together."""

    def steps(self) -> Generator[bool, None, None]:
        """Yields while a step is to run."""
        for name in self.names:

            def switch(is_in_place: bool, name: str = name) -> None:
                self.watch.left_out = "" if is_in_place else name

            gain = yield from saved_without(switch, self.step_ms)
            if gain is not None:
                self.gains[name] = gain

    def with_gains(self, seen: Iterable[Seen]) -> tuple[Seen, ...]:
        """Each line with its part of what was measured, by the time of its calls."""
        items = tuple(seen)
        whole = {name: sum(item.host_ms or 0.0 for item in items if item.what == name) for name in self.gains}
        return tuple(
            replace(item, recoverable=_part(self.gains[item.what], item.host_ms, whole[item.what]))
            if item.what in self.gains and item.host_ms
            else item
            for item in items
        )


def worth_leaving_out(first: Reading, last: Reading, steps: int, step_ms: float) -> tuple[str, ...]:
    """The calls that happen in each step of a window, and take more than a trifle of it."""
    calls: dict[str, int] = {}
    nanoseconds: dict[str, int] = {}
    for site, (now, spent) in last.items():
        if site.kind.name in OMITTED and site.path:
            before, spent_before = first.get(site, (0, 0))
            calls[site.kind.name] = calls.get(site.kind.name, 0) + now - before
            nanoseconds[site.kind.name] = nanoseconds.get(site.kind.name, 0) + spent - spent_before
    return tuple(
        name for name in calls if calls[name] >= steps > 0 and nanoseconds[name] / 1e6 >= THRESHOLD * step_ms * steps
    )


def _part(gain: Interval, ms: float, of_ms: float) -> Interval:
    return Interval(gain.low * ms / of_ms, gain.high * ms / of_ms)
