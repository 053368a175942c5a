"""What one trace shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from trainlint.evidence.run import Phase
from trainlint_probe.traces.copies import copies_of
from trainlint_probe.traces.device import DeviceReading, busiest, device_of
from trainlint_probe.traces.device_work.collectives import Exchange, exchanges_of
from trainlint_probe.traces.device_work.communication import Communication, communication_of
from trainlint_probe.traces.device_work.launched_work import asked_in, launch_times
from trainlint_probe.traces.events import Trace, UnreadableTrace, read_events
from trainlint_probe.traces.phases import phases_of
from trainlint_probe.traces.steps import Window, window_of
from trainlint_probe.traces.syncs import waits_of
from trainlint_probe.wording.units import duration

RAN_AHEAD_SHARE = 0.1
"""If the device needs this much longer for a step than the host, the host ran ahead of it, and its pace is not the
training's. Queues of a few launches differ from step to step by less."""


@dataclass(frozen=True, slots=True)
class TraceReading:
    """What one trace shows. Times are milliseconds per step; a trace without steps counts as one."""

    path: str
    rank: int | None
    world_size: int | None
    window: Window
    steps_ms: tuple[float, ...]
    """Of the host, step by step."""
    phases: Mapping[Phase, float]
    communication: Communication | None
    device: DeviceReading | None
    """None where the trace has no work of a device. Where it has several devices, the busiest."""
    notes: tuple[str, ...]
    """What the reader must know of the numbers, in sentences."""
    exchanges: tuple[Exchange, ...] = ()
    """The collectives of the device, by the lines that are known exactly."""

    @property
    def step_ms(self) -> float:
        """The mean; with workers that load batches, steps are of two kinds, and their median misleads."""
        return self.window.ms / self.window.count

    @property
    def per(self) -> str:
        """What numbers are of, for people, behind them: "a step", or "in all" where the trace tells no steps apart."""
        return "a step" if self.window.steps else "in all"

    @property
    def pace_ms(self) -> float:
        """What a step takes in a longer run: the host's time, or the device's where the host ran ahead of it."""
        paced = self.device.paced_ms if self.device else None
        return paced if paced is not None and paced > self.step_ms * (1 + RAN_AHEAD_SHARE) else self.step_ms


def read_trace(path: Path | str) -> TraceReading:
    """Read a trace that `torch.profiler` wrote, as JSON, gzipped or not.

    Raises:
        UnreadableTrace: with a sentence for people.
    """
    return reading_of(read_events(path))


def reading_of(trace: Trace) -> TraceReading:
    """What a trace shows.

    Raises:
        UnreadableTrace: where its steps or events take no time.
    """
    window = window_of(trace)
    if window.ms <= 0:
        raise UnreadableTrace(f"{trace.path} holds no stretch of time: profile at least one whole step.")
    calls = trace.calls_by_correlation()
    copies = list(copies_of(trace, calls))
    waits = waits_of(trace, copies)
    number = busiest(trace.work)
    work = [item for item in trace.work if item.device == number]
    times = launch_times(work, calls)
    asked = asked_in(window, work, times)
    reading = TraceReading(
        path=trace.path,
        rank=trace.rank,
        world_size=trace.world_size,
        window=window,
        steps_ms=tuple(end - start for start, end in window.steps),
        phases=phases_of(trace, window, copies, waits),
        communication=communication_of(trace, work, asked, window),
        device=device_of(trace, number, window, copies, waits) if number is not None else None,
        notes=(),
        exchanges=exchanges_of(trace, work, asked, calls, window),
    )
    return replace(reading, notes=tuple(_notes(trace, reading)))


def _notes(trace: Trace, reading: TraceReading) -> Iterator[str]:
    window, device = reading.window, reading.device
    if window.dropped:
        yield (
            f"The first of {window.dropped + len(window.steps)} recorded steps is left out: "
            "the profiler starts in it, and work launched before it is missing."
        )
    if not window.steps:
        yield (
            f"The trace marks no steps, so numbers are for all of its {duration(window.ms)}: "
            "call prof.step() at the end of each step when you profile."
        )
    elif window.marks != "ProfilerStep":
        yield f"The trace has no ProfilerStep: a step lasts from the end of one {window.marks} to the end of the next."
    if device is None:
        yield (
            "The trace has no GPU events, so idle time, waits, copies and kernels are unknown. Profile "
            "with ProfilerActivity.CUDA on a machine with a GPU."
        )
    else:
        yield from _notes_on_device(trace, reading, device)
    if Phase.FORWARD not in reading.phases and window.steps:
        yield (
            "Forward has no name in the trace and is part of what is called other: "
            "profile with with_stack=True, or put record_function around it."
        )
    if trace.damaged:
        yield f"{trace.damaged} events had no name or no time and were left out."


def _notes_on_device(trace: Trace, reading: TraceReading, device: DeviceReading) -> Iterator[str]:
    numbers = {item.device for item in trace.work}
    if len(numbers) > 1:
        yield f"The trace has work of {len(numbers)} GPUs: numbers are of GPU {device.number}, the busiest."
    if reading.pace_ms > reading.step_ms:
        yield (
            f"The CPU ran ahead of the GPU: it took {duration(reading.step_ms)} {reading.per}, and the "
            f"GPU needs {duration(reading.pace_ms)}. A longer run goes at the GPU's pace."
        )
    syncs = device.syncs
    if syncs.recoverable is None:
        yield (
            f"The CPU was blocked for {duration(syncs.blocked)} {reading.per}, and the GPU was idle for "
            f"{duration(syncs.idle)} of it. Something else held both up (another rank, a network, lost "
            "events), so the cost of the waits is unknown."
        )
    if any(copy.direction == "HtoD" and not copy.memory for copy in device.copies):
        yield "The trace does not tell pageable memory of the CPU from pinned, as is usual on ROCm."
