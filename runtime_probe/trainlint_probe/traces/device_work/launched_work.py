"""Which work of a device the steps of a window asked for.

A device may lag far behind its host: what it does while the host is in a step may be the work of the step before, or
of steps that were never recorded. What a step costs is therefore counted by when its work was launched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainlint_probe.traces.events import DeviceWork, HostRange
from trainlint_probe.traces.steps import Window


def launch_times(work: Sequence[DeviceWork], calls: Mapping[int, HostRange]) -> list[float]:
    """When each piece of work, sorted by start, was launched.

    Some launches are not recorded: those before recording began, and those of libraries that older profilers did not
    see. A stream does its work in the order of the launches, so such work was launched no sooner than what came before
    it in its stream; where nothing recorded did, it was launched before recording began, at minus infinity. A trace
    without any launches has no better time than the work's own start.
    """
    last: dict[str, float] = {}
    times: list[float] = []
    for item in work:
        call = calls.get(item.correlation) if item.correlation is not None else None
        if call is not None:
            last[item.stream] = max(last.get(item.stream, call.start), call.start)
            times.append(call.start)
        else:
            times.append(last.get(item.stream, float("-inf")) if calls else item.start)
    return times


def asked_in(window: Window, work: Sequence[DeviceWork], times: Sequence[float]) -> list[DeviceWork]:
    """The work that was launched in a window; all of it where the window has no steps and so is all of the trace."""
    if not window.steps:
        return list(work)
    return [item for item, time in zip(work, times, strict=True) if window.start <= time < window.end]


def pace(window: Window, work: Sequence[DeviceWork], times: Sequence[float]) -> float | None:
    """What the device needs per step: from the end of what was launched before the window to the end of its own work.

    None where the window launched nothing.
    """
    before = max((item.end for item, time in zip(work, times, strict=True) if time < window.start), default=None)
    own = asked_in(window, work, times)
    if not own:
        return None
    # A device that was done with what came before begins its step with the host's.
    return (max(item.end for item in own) - max(before or window.start, window.start)) / window.count
