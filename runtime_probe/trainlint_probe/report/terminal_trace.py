"""For people at a terminal: what a trace shows of a step, on the host and on the device."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from trainlint.evidence.run import Phase
from trainlint.report.characters import sentence
from trainlint.report.settings import Style
from trainlint.report.terminal import as_written, sentences, wrapped
from trainlint_probe.report.terminal import (
    failure_lines,
    note_lines,
    notes_on,
    split_lines,
    summary_lines,
    verdict_lines,
)
from trainlint_probe.result import Result
from trainlint_probe.traces.device import DeviceReading
from trainlint_probe.traces.reading import TraceReading
from trainlint_probe.wording.units import duration, span

_KERNELS = 5
"""Classes of kernels that are named."""
_WAITS = 3
"""Places where the host waits that are named."""
_UNKNOWN = "it cannot be said what could be gained"


def render_trace(result: Result, style: Style, *, verbose: bool = False) -> str:
    """The report of a trace, ending with a line feed. What it takes is what `render` takes of a run."""
    reading, unjudged = result.reading, result.unjudged
    assert reading is not None, "a result is of a run or of a trace"
    phases = {phase: reading.phases[phase] for phase in Phase if reading.phases.get(phase)}
    lines = [
        *_heading(reading, style),
        *summary_lines(result, style),
        *split_lines(phases, style),
        *(_device(reading, reading.device, style) if reading.device else ()),
        *verdict_lines(result.verdicts, style, of_run=False, verbose=verbose),
        *failure_lines(unjudged, style),
        *note_lines([*((f"note: {note}", "dim") for note in reading.notes), *notes_on(unjudged)], style),
    ]
    return as_written(lines, style)


def _heading(reading: TraceReading, style: Style) -> Iterator[Text]:
    steps = f"{len(reading.window.steps)} steps of " if reading.window.steps else "no steps are marked in "
    device = reading.device.about.name if reading.device and reading.device.about else ""
    about = f" ({steps}{reading.path}{f', {device}' if device else ''})"
    heading = Text.assemble(
        (sentence(f"{duration(reading.step_ms)} {reading.per}", unicode=style.unicode), "bold"),
        sentence(about, unicode=style.unicode),
    )
    yield from wrapped(heading, style, indent="  ")


def _device(reading: TraceReading, device: DeviceReading, style: Style) -> Iterator[Text]:
    yield Text()
    for line in _sentences(reading, device):
        yield from sentences(line, style, indent="  ")


def _sentences(reading: TraceReading, device: DeviceReading) -> Iterator[str]:
    causes = sorted(device.idle_causes.items(), key=lambda pair: -pair[1])
    longest = f", above all while {causes[0][0].value}" if causes else ""
    idle = f"{duration(device.idle)} {reading.per} ({device.idle / reading.step_ms:.0%})"
    yield f"The GPU is idle for {idle}{longest}."
    syncs = device.syncs
    if syncs.count:
        gain = f"{span(syncs.recoverable)} {reading.per} could be gained" if syncs.recoverable else _UNKNOWN
        yield (
            f"The CPU waits for the GPU {syncs.count:.3g} times {reading.per}, {duration(syncs.blocked)} together; "
            f"without these waits {gain}."
        )
        for site in syncs.sites[:_WAITS]:
            around = f" in {site.annotation}" if site.annotation else ""
            yield f"  {duration(site.blocked):>11}  {site.source or site.operator + around}"
    classes = device.arithmetic.classes[:_KERNELS]
    if classes:
        yield f"Kernels: {', '.join(f'{item.of.value} {duration(item.ms)} ({item.share:.0%})' for item in classes)}."
    communication = reading.communication
    if communication:
        exposed = (
            "" if communication.exposed is None else f", {duration(communication.exposed)} of it with nothing beside"
        )
        yield f"Communication takes {duration(communication.ms)} {reading.per}{exposed}."
    if device.launch_bound:
        yield "The GPU waits for launches: the CPU asks for work in pieces that are too small."
