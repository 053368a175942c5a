"""What a real GPU did beside what the simulation said, script by script. Nothing here runs anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trainlint.evidence.interval import Interval

_PEAK = 0.05
"""By how much of the measured one the peak of memory may differ."""


class Traced(NamedTuple):
    """What a trace of Kineto shows of a step."""

    step_ms: float
    to_device: float
    """Copies from the host."""
    to_host: float
    blocked_ms: float
    """For which the host stands in calls that synchronize."""


class Measured(NamedTuple):
    """A script on a GPU."""

    waits: Mapping[int, float]
    """Line → how often a step PyTorch warned there of a synchronizing operation."""
    peak: int
    """Bytes."""
    traced: Traced


class Predicted(NamedTuple):
    """The script on the simulated GPU."""

    waits: Mapping[int, float]
    """Line → waits and copies that block, a step."""
    to_device: float
    to_host: float
    peak: int
    step_ms: Interval
    dearest_ms: float
    """The most that a step would gain without the waits of one line."""


def _synchronizes(event: Mapping[str, Any]) -> bool:
    return _is(event, ("cuda_runtime", "cuda_driver", "Runtime"), "cu") and "Synchronize" in event["name"]


def traced(events: Sequence[Mapping[str, Any]]) -> Traced:
    """Read the `traceEvents` of a trace. Raises ValueError where it has no step."""
    steps = [event for event in events if _is(event, ("user_annotation",), "ProfilerStep")]
    if not steps:
        raise ValueError("the trace has no ProfilerStep")
    start, end = min(step["ts"] for step in steps), max(step["ts"] + step["dur"] for step in steps)
    within = [event for event in events if event.get("ph") == "X" and start <= event["ts"] < end]
    copies = [event["name"] for event in within if _is(event, ("gpu_memcpy", "Memcpy"), "Memcpy ")]
    blocked = sum(event["dur"] for event in within if _synchronizes(event))
    number = len(steps)
    return Traced(
        (end - start) / 1000 / number,
        sum(" HtoD " in name for name in copies) / number,
        sum(" DtoH " in name for name in copies) / number,
        blocked / 1000 / number,
    )


def predicted(run: Mapping[str, Any]) -> Predicted:
    """Read one of the `runs` of the probe's JSON."""
    simulated, steps = run["simulated"], len(run["steps"])
    waits: dict[int, float] = {}
    copies = {"host to device": 0.0, "device to host": 0.0}
    for event in simulated["events"]:
        each = event["count"] / steps
        if event["kind"] == "copy":
            copies[event["direction"]] = copies.get(event["direction"], 0.0) + each
        elif event["kind"] == "wait":  # reading a number copies it
            copies["device to host"] += each * (not event["what"].endswith(("synchronize", "empty_cache")))
        if event["kind"] == "wait" or (event["kind"] == "copy" and event["blocking"]):
            waits[event["line"]] = waits.get(event["line"], 0.0) + each
    time = simulated["step_ms"]
    dearest = max((price["gain"]["high"] for price in simulated["prices"]), default=0.0)
    return Predicted(
        waits,
        copies["host to device"],
        copies["device to host"],
        simulated["peak"][0],
        Interval(time["low"], time["high"]),
        dearest,
    )


def other_lines(said: Predicted, seen: Measured) -> list[str]:
    """The lines whose waits differ, in words."""
    return [
        f"line {line}: {said.waits.get(line, 0.0):g} said, {seen.waits.get(line, 0.0):g} seen"
        for line in sorted({*said.waits, *seen.waits})
        if abs(said.waits.get(line, 0.0) - seen.waits.get(line, 0.0)) > 1e-9
    ]


def table(results: Mapping[str, tuple[Predicted, Measured]], failures: Mapping[str, str], machine: str) -> str:
    """All scripts as Markdown, the lines that differ below."""
    lines = [
        f"On {machine}. Said by the simulation / seen on the GPU, a step.",
        "",
        "| script | lines that wait | to the device | to the host | peak, MB | step, ms | dearest line / blocked, ms |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    notes = []
    for name, (said, seen) in results.items():
        real, others = seen.traced, other_lines(said, seen)
        peak_fits = abs(said.peak - seen.peak) <= _PEAK * seen.peak
        time_fits = said.step_ms.low <= real.step_ms <= said.step_ms.high
        lines.append(
            f"| {name} | {len(said.waits)}, {len(others)} differ | {said.to_device:g} / {real.to_device:g} "
            f"| {said.to_host:g} / {real.to_host:g} | {said.peak / 1e6:.2f} / {seen.peak / 1e6:.2f}{_mark(peak_fits)} "
            f"| {said.step_ms.low:.2f} to {said.step_ms.high:.2f} / {real.step_ms:.2f}{_mark(time_fits)} "
            f"| {said.dearest_ms:.2f} / {real.blocked_ms:.2f} |"
        )
        notes += [f"- {name}, {other}" for other in others]
    notes += [f"- {name} was not compared: {why}" for name, why in failures.items()]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _mark(fits: bool) -> str:
    return "" if fits else " (differs)"


def _is(event: Mapping[str, Any], categories: tuple[str, ...], beginning: str) -> bool:
    return event.get("ph") == "X" and event.get("cat") in categories and event["name"].startswith(beginning)
