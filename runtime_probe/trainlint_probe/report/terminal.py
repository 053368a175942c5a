"""For people at a terminal: where a step's time goes, what that says of each finding, and what to do first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING

from rich.text import Text

from trainlint.evidence import Phase, Run, State, Verdict
from trainlint.report.characters import sentence
from trainlint.report.settings import Style
from trainlint.report.terminal import as_written, wrapped
from trainlint_probe.ranks import together
from trainlint_probe.report.words import (
    by_cost,
    counts,
    full,
    label,
    mean_phases,
    percent,
    place,
    to_do_first,
    why_no_step,
)

if TYPE_CHECKING:
    from trainlint_probe.verify.result import Verification

_BAR = 30
"""Columns of a bar that stands for a whole step, where the terminal has room."""
_LEAST_BAR = 5
"""A narrower bar shows nothing and is left out."""
_NUMBERS = 39
"""Columns of a phase's name and numbers, before its bar."""

_COLORS = {
    State.CONFIRMED: "bold red",
    State.REFUTED: "green",
    State.INCONCLUSIVE: "yellow",
    State.UNMEASURED: "cyan",
    State.NOT_OBSERVED: "dim",
}
_FOLDED = (State.REFUTED, State.NOT_OBSERVED)
"""What a reader has no work with: a line each."""
_MOST_FOLDED = 5
"""Lines of each of these states."""


def render(
    runs: Sequence[Run],
    verdicts: Sequence[Verdict],
    style: Style,
    *,
    comparisons: Sequence[Verification] = (),
    verbose: bool = False,
) -> str:
    """The report of a run, ending with a line feed.

    Args:
        runs: one for each process, the one to speak of first.
        verdicts: on what findings, in any order.
        style: what the terminal can show.
        comparisons: what came of trying fixes.
        verbose: whether every verdict is explained, those that ask for no work as well.
    """
    lines = [
        *_heading(runs, style),
        *split_lines(mean_phases(runs[0]), style),
        *_ranks(runs, style),
        *verdict_lines(verdicts, style, verbose=verbose),
        *_tried(comparisons, style),
        *_first(runs[0], verdicts, style),
        *_notes(runs, style),
    ]
    return as_written(lines, style)


def _heading(runs: Sequence[Run], style: Style) -> Iterator[Text]:
    run = runs[0]
    if not run.steps:
        yield from wrapped(Text(f"No step was measured: {why_no_step(run)}.", "bold yellow"), style)
        return
    times = [step.ms for step in run.steps]
    processes = f", {run.world_size} processes" if run.world_size > 1 else ""
    heading = Text.assemble(
        (f"{fmean(times):.1f} ms a step", "bold"),
        f" (median {median(times):.1f}, {len(times)} steps after {run.warmup} of warm-up, {run.device}{processes})",
    )
    yield from wrapped(heading, style)
    clock = sentence(f"A step is {run.clock}; watching it took {run.overhead_ms:.3f} ms.", unicode=style.unicode)
    yield from wrapped(Text(clock, "dim"), style)


def split_lines(phases: Mapping[Phase, float], style: Style) -> Iterator[Text]:
    """A bar for each phase of a step, under a blank line."""
    if not phases:
        return
    yield Text()
    whole = sum(phases.values())
    columns = min(_BAR, style.width - _NUMBERS)
    for phase, ms in phases.items():
        cells = round(ms / whole * columns) if columns >= _LEAST_BAR else 0
        bar = ("\N{FULL BLOCK}" if style.unicode else "#") * cells
        yield Text.assemble(f"  {phase.value:<15}{ms:9.2f} ms {ms / whole:6.1%}  ", (bar, "blue"))


def _ranks(runs: Sequence[Run], style: Style) -> Iterator[Text]:
    """A line for each process, with its two longest phases: a rank that waits less than others is waited for."""
    measured = sorted((run for run in runs if run.steps), key=lambda run: run.rank)
    if len(measured) < 2:
        return
    yield Text()
    yield from wrapped(Text(f"Above is rank {runs[0].rank}. Each rank, with its longest phases:"), style)
    for run in measured:
        phases = mean_phases(run)
        longest = sorted(phases, key=lambda phase: -phases[phase])[:2]
        parts = ", ".join(f"{phase.value} {phases[phase]:.1f}" for phase in longest)
        line = f"  rank {run.rank:<4}{sum(phases.values()):9.2f} ms  {parts}"
        yield from wrapped(Text(line), style, indent="    ")
    straggler = together(runs).straggler
    if straggler:
        yield from wrapped(Text(straggler.sentence, "yellow"), style)


def verdict_lines(verdicts: Sequence[Verdict], style: Style, *, verbose: bool = False) -> Iterator[Text]:
    """All verdicts, the dearest first; a line each for those that ask for no work."""
    ordered = by_cost(verdicts)
    if len(ordered) > 1:
        yield Text()
        yield from wrapped(Text(f"{counts(ordered)}.", "bold"), style, indent="  ")
    for item in ordered:
        if verbose or item.state not in _FOLDED:
            yield Text()
            yield from wrapped(_named(item, style), style, indent="  ")
            yield from wrapped(_said(f"  {full(item.sentence)}", style), style, indent="  ")
    if not verbose:
        for state in _FOLDED:
            yield from _folded([item for item in ordered if item.state is state], style)


def _folded(verdicts: Sequence[Verdict], style: Style) -> Iterator[Text]:
    if verdicts:
        yield Text()
    for item in verdicts[:_MOST_FOLDED]:
        share = f" ({percent(item.share)} of a step)" if item.share else ""
        yield from wrapped(_named(item, style) + _said(share, style), style, indent="  ")
    if len(verdicts) > _MOST_FOLDED:
        more = f"and {len(verdicts) - _MOST_FOLDED} more {verdicts[0].state.value}; --verbose shows all, with reasons"
        yield from wrapped(Text(more, "dim"), style, indent="  ")


def _named(item: Verdict, style: Style) -> Text:
    """State, place and rule."""
    return Text.assemble(
        (f"{label(item.state):<13}", _COLORS[item.state]),
        (sentence(place(item.at), unicode=style.unicode), "" if item.state in _FOLDED else "bold"),
        f"  {item.code} {item.name}",
    )


def _tried(comparisons: Iterable[Verification], style: Style) -> Iterator[Text]:
    for tried in comparisons:
        yield Text()
        yield from wrapped(Text.assemble((f"{tried.outcome.value:<13}", "bold"), f"{tried.code} {tried.name}"), style)
        yield from wrapped(_said(f"  {full(tried.sentence)}", style), style, indent="  ")
        if tried.training:
            yield from wrapped(_said(f"  {full(tried.training.sentence)}", style), style, indent="  ")


def _first(run: Run, verdicts: Sequence[Verdict], style: Style) -> Iterator[Text]:
    """The confirmed finding that costs most, for who has time for one thing only."""
    if not run.steps:
        return
    worst = to_do_first(verdicts, 1)
    if worst:
        (item,) = worst
        advice = (
            f"First: {place(item.at)}, {item.code} {item.name}; "
            f"`trainlint explain {item.code}` says what to write instead."
        )
    elif verdicts:
        advice = "No finding is confirmed: nothing that trainlint found is known to cost this training what counts."
    else:
        advice = "There is no finding to judge."
    yield Text()
    yield from wrapped(Text(sentence(advice, unicode=style.unicode), "bold"), style, indent="  ")


def _notes(runs: Sequence[Run], style: Style) -> Iterator[Text]:
    """What is off with the machine, and then what the reader must know of the measurement; said once for all ranks."""
    lines = [(f"warning: {concern}", "yellow") for run in runs for concern in run.environment.concerns]
    lines += [(f"note: {note}", "dim") for run in runs for note in run.notes]
    if missing := (together(runs).missing if runs[0].world_size > 1 else ()):
        lines.append((f"note: no evidence came from rank {', '.join(map(str, missing))}", "dim"))
    saved = ", ".join(dict.fromkeys(name for run in runs for name in run.redirected))
    if saved:
        lines.append(
            (f"note: what the script saved was written to a temporary directory, which is gone: {saved}", "dim")
        )
    if lines:
        yield Text()
    for text, look in dict.fromkeys(lines):
        yield from wrapped(Text(sentence(text, unicode=style.unicode), look), style, indent="  ")


def _said(text: str, style: Style) -> Text:
    return Text(sentence(text, unicode=style.unicode))
