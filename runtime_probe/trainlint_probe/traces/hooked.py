"""Lines for waits of which a trace alone does not tell whose they are.

After the steps that are read for their times, our own deep pass records some in which PyTorch says before each wait
whose line it is (`ABOUT_TO_WAIT`), and which are slower for it. Waits of one kind that all come from one line there
come from it in the steps before as well, where these have as many of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose

from trainlint_probe.traces.events import HostRange, Trace
from trainlint_probe.traces.places import HOOKED_STEP, Place, Source, places_of
from trainlint_probe.traces.steps import Window
from trainlint_probe.traces.syncs import Cost, Wait

_Kind = tuple[str, str, str]
"""The call, which copy it waits for, and the operator around it."""


def with_lines_of_hooks(
    trace: Trace,
    waits: Sequence[Wait],
    costs: Sequence[Cost],
    places: Mapping[HostRange, Place],
    window: Window,
) -> dict[HostRange, Place]:
    """The places of calls, with lines for waits of the window that have none, where later steps tell them.

    Args:
        trace: the whole of it.
        waits: all of the trace.
        costs: those of the window.
        places: of all calls that matter, those of `costs` among them.
        window: the steps that are read for their times.
    """
    found = dict(places)
    steps = [item for item in trace.annotations if item.name == HOOKED_STEP]
    if not steps:
        return found
    start, end = min(item.start for item in steps), max(item.end for item in steps)
    later = [wait for wait in waits if start <= wait.start < end]
    told = places_of(trace, [wait.call for wait in later])
    lines = _lines_of_kinds(later, told)
    often = Counter(_kind(wait, told) for wait in later)
    before = Counter(_kind(cost.wait, places) for cost in costs)
    for cost in costs:
        kind, place = _kind(cost.wait, places), places[cost.wait.call]
        as_many = isclose(before[kind] / window.count, often[kind] / len(steps))
        if place.source is None and as_many and len(lines[kind]) == 1:
            (source,) = lines[kind]
            found[cost.wait.call] = replace(place, source=source)
    return found


def _lines_of_kinds(waits: Sequence[Wait], places: Mapping[HostRange, Place]) -> Mapping[_Kind, set[Source | None]]:
    """The lines of all waits of a kind, None for waits without one."""
    lines: dict[_Kind, set[Source | None]] = defaultdict(set)
    for wait in waits:
        lines[_kind(wait, places)].add(places[wait.call].source)
    return lines


def _kind(wait: Wait, places: Mapping[HostRange, Place]) -> _Kind:
    copy = f"{wait.copy.direction} {wait.copy.memory}" if wait.copy else ""
    return wait.call.name, copy, places[wait.call].operator
