"""For people at a terminal: what each step would wait for and copy on a GPU, by line, most frequent first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from trainlint.evidence.run import Run
from trainlint.evidence.simulation import DeviceEvent, Simulated
from trainlint.report.settings import Style
from trainlint.report.terminal import as_written, sentences
from trainlint.symptoms import Symptom
from trainlint_probe.report.budget import budget_lines
from trainlint_probe.report.terminal import failure_lines, note_lines, notes_on, verdict_lines
from trainlint_probe.report.words import place_text, why_no_step
from trainlint_probe.result import Result
from trainlint_probe.wording.units import size, span


def render_simulated(result: Result, style: Style, *, verbose: bool) -> str:
    """The report of a run on simulated GPUs, ending with a line feed."""
    run = result.runs[0]
    simulated = run.simulated
    assert simulated is not None, "other runs have another report"
    lines = [
        *_heading(run, simulated, style),
        *verdict_lines(result.verdicts, style, verbose=verbose),
        *failure_lines(result.unjudged, style),
        *note_lines([*((f"note: {note}", "dim") for note in run.notes), *notes_on(result.unjudged)], style),
        *budget_lines(result.budgets, style),
    ]
    return as_written(lines, style)


def _heading(run: Run, simulated: Simulated, style: Style) -> Iterator[Text]:
    machine = simulated.gpu if simulated.devices == 1 else f"{simulated.devices} x {simulated.gpu}"
    yield from sentences(
        f"Simulated GPU: {machine}. Counts are exact; times come from a model, none was measured.", style, "bold"
    )
    if not run.steps:
        yield from sentences(f"No step was seen: {why_no_step(run)}.", style, "bold yellow")
        return
    yield from sentences(_counts(run, simulated), style)
    if simulated.step_ms is not None:
        yield from sentences(f"It would take {span(simulated.step_ms)}, not counting waits for data.", style)
    yield from sentences(f"A step is {run.clock}.", style, "dim")
    if not simulated.events and not simulated.launches:
        yield from sentences(
            "Nothing was put on the GPU. To measure a training on the CPU, add `--device cpu`.", style, "yellow"
        )
    if simulated.compiled:
        yield from _about_compiling(run, simulated, style)
    if not simulated.values:
        yield from _about_values(simulated, style)
    if run.outcome != "window closed":
        yield from sentences(f"Fewer steps were seen than asked for: {why_no_step(run)}.", style, "bold yellow")


def _about_compiling(run: Run, simulated: Simulated, style: Style) -> Iterator[Text]:
    lines = len({item.at for item in run.seen if item.symptom is Symptom.GRAPH_BREAK})
    where = {0: "no line breaks a graph", 1: "1 line breaks a graph"}.get(lines, f"{lines} lines break graphs")
    yield from sentences(f"torch.compile: {where}; the model ran uncompiled, and operators are counted so.", style)
    if simulated.breaks_unknown:
        unknown = "; ".join(simulated.breaks_unknown)
        yield from sentences(f"Not all graph breaks are known of {unknown}.", style, "yellow")


def _about_values(simulated: Simulated, style: Style) -> Iterator[Text]:
    yield from sentences(
        "No values were computed (--no-values): losses and parameters mean nothing, and each read gave 0.", style
    )
    for lines, said in (
        (simulated.decided, "These lines decide by a value of the GPU, which was not computed"),
        (simulated.sized, "These lines make sizes of such values, which were taken at their largest"),
    ):
        if lines:
            yield from sentences(f"{said}: {', '.join(map(place_text, lines))}.", style, "yellow")


def _counts(run: Run, simulated: Simulated) -> str:
    """What a step does, in a sentence."""
    steps = len(run.steps)
    waits = _per_step([event for event in simulated.events if event.kind == "wait"], steps)
    copies = [event for event in simulated.events if event.kind == "copy"]
    blocking = _per_step([event for event in copies if event.blocking], steps)
    others = _per_step([event for event in copies if not event.blocking], steps)
    moved = sum(event.bytes for event in copies) / steps
    collectives = [event for event in simulated.events if event.kind == "collective"]
    exchanged = ""
    if collectives:
        sent = size(sum(event.bytes for event in collectives) / steps)
        exchanged = f", {_per_step(collectives, steps)} collectives ({sent})"
    return (
        f"A step ({steps} after {run.warmup} of warm-up): {waits} waits, {blocking} blocking copies, {others} other "
        f"copies ({size(moved)}){exchanged}, {simulated.launches:.0f} operators for the GPU; peak memory "
        f"{size(simulated.peak[0])}."
    )


def _per_step(events: Sequence[DeviceEvent], steps: int) -> str:
    return f"{sum(event.count for event in events) / steps:.3g}"
