"""For people at a terminal: where a step's time goes, what that says of each finding, and what to do first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median

from rich.text import Text

from trainlint.evidence.run import Phase, Run
from trainlint.evidence.verdicts import State, Verdict
from trainlint.report.characters import sentence
from trainlint.report.settings import Style
from trainlint.report.terminal import as_written, sentences, wrapped
from trainlint.report.words import failure_sentence
from trainlint_probe.judgement.ranks import compare_ranks
from trainlint_probe.judgement.step_times import mean_phases
from trainlint_probe.report.budget import budget_lines
from trainlint_probe.report.words import (
    ASK_FOR_WORK,
    Defect,
    busy_sentence,
    counts,
    defects,
    fix_command,
    full,
    help_text,
    ignored_sentence,
    is_not_told,
    label,
    left_out_sentences,
    percent,
    place_text,
    why,
    why_no_step,
    without_confirmed,
)
from trainlint_probe.result import Result, Unjudged
from trainlint_probe.wording.units import duration, some_of, unit_of

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
_FOLDED = (State.UNMEASURED, State.REFUTED, State.NOT_OBSERVED)
"""What a reader has no work with: a line each."""
_MOST_FOLDED = 5
"""Lines of each of these states."""


def render(result: Result, style: Style, *, verbose: bool = False) -> str:
    """The report of a run, ending with a line feed. `verbose`: every verdict is explained, those that ask for no work
    as well.
    """
    lines = [
        *_heading(result, style),
        *split_lines(mean_phases(result.runs[0]), style),
        *_ranks(result.runs, style),
        *verdict_lines(result.verdicts, style, verbose=verbose),
        *failure_lines(result.unjudged, style),
        *_notes(result.runs, result.unjudged, style),
        *budget_lines(result.budgets, style),
    ]
    return as_written(lines, style)


def _heading(result: Result, style: Style) -> Iterator[Text]:
    run = result.runs[0]
    if busy := busy_sentence(run):
        yield from sentences(busy, style, "bold yellow")
    if not run.steps:
        yield from sentences(f"No step was measured: {why_no_step(run)}.", style, "bold yellow")
        return
    times = [step.ms for step in run.steps]
    processes = f", {run.world_size} processes" if run.world_size > 1 else ""
    window = f"{len(times)} steps after {run.warmup} of warm-up, {run.device}{processes}"
    heading = Text.assemble(
        (sentence(f"{duration(fmean(times))} a step", unicode=style.unicode), "bold"),
        sentence(f" (median {duration(median(times))}, {window})", unicode=style.unicode),
    )
    yield from wrapped(heading, style)
    yield from summary_lines(result, style)
    yield from sentences(f"A step is {run.clock}.", style, "dim")
    if run.outcome != "window closed":
        yield from sentences(f"Fewer steps were seen than asked for: {why_no_step(run)}.", style, "bold yellow")


def summary_lines(result: Result, style: Style) -> Iterator[Text]:
    """That no finding is confirmed, where none is."""
    if said := without_confirmed(result.verdicts, result.unjudged):
        yield from sentences(said, style, "bold", indent="  ")


def split_lines(phases: Mapping[Phase, float], style: Style) -> Iterator[Text]:
    """A bar for each phase of a step, under a blank line."""
    if not phases:
        return
    yield Text()
    whole = sum(phases.values())
    of, unit = unit_of(whole)
    columns = min(_BAR, style.width - _NUMBERS)
    for phase, ms in phases.items():
        cells = round(ms / whole * columns) if columns >= _LEAST_BAR else 0
        bar = ("\N{FULL BLOCK}" if style.unicode else "#") * cells
        numbers = f"  {phase.value:<15}{ms / of:9.2f} {unit:<2} {ms / whole:6.1%}  "
        yield Text.assemble(sentence(numbers, unicode=style.unicode), (bar, "bright_blue"))


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
        parts = ", ".join(f"{phase.value} {duration(phases[phase])}" for phase in longest)
        line = f"  rank {run.rank:<4}{duration(sum(phases.values())):>10}  {parts}"
        yield from sentences(line, style, indent="    ")
    straggler = compare_ranks(runs).straggler
    if straggler:
        yield from wrapped(Text(straggler.sentence, "yellow"), style)


def verdict_lines(
    verdicts: Sequence[Verdict],
    style: Style,
    *,
    of_run: bool = True,
    verbose: bool = False,
) -> Iterator[Text]:
    """All verdicts, the dearest first; a line each for those that ask for no work, and one for all of which the device
    tells nothing. Of a run, fixes can be tried.
    """
    told = defects(verdicts)
    advised: dict[str, str] = {}
    if len(told) > 1:
        yield Text()
        yield from wrapped(Text(f"{counts(told)}.", "bold"), style, indent="  ")
    for item in told:
        if verbose or item.said.state not in _FOLDED:
            yield Text()
            yield from wrapped(_heading_of(item, style), style, indent="  ")
            for line in _explained(item, advised, can_be_tried=of_run, verbose=verbose):
                yield from sentences(f"  {line}", style, indent="  ")
    if not verbose:
        yield from _not_told([item.said for item in told if is_not_told(item.said)], style)
        others = [item for item in told if not is_not_told(item.said)]
        for state in _FOLDED:
            yield from _folded([item for item in others if item.said.state is state], style)


def _not_told(verdicts: Sequence[Verdict], style: Style) -> Iterator[Text]:
    """All that this device tells nothing of: a paragraph for each reason."""
    by_reason: dict[str, list[str]] = {}
    for item in verdicts:
        by_reason.setdefault(item.sentence, []).append(f"{place_text(item.at)} {item.code}")
    for reason, named in by_reason.items():
        yield Text()
        said = f"{label(State.UNMEASURED)}: {some_of(named, _MOST_FOLDED)}. {full(reason)}"
        yield from sentences(said, style, "cyan", indent="  ")


def _explained(item: Defect, advised: dict[str, str], *, can_be_tried: bool, verbose: bool) -> Iterator[str]:
    """What is said below a heading; `advised` remembers where each help stands, which is said once."""
    if item.also and verbose:
        for one in (item.said, *item.also):
            yield f"{one.code}: {full(one.sentence)}"
    else:
        yield why(item)
    if item.said.message and not item.said.new:
        yield full(item.said.message)
    if item.said.state in ASK_FOR_WORK and (text := help_text(item.said)):
        here = place_text(item.said.at)
        place = advised.setdefault(text, here)
        yield f"help: {text if place == here else f'as at {place}'}"
    if command := fix_command(item.said):
        if can_be_tried:
            yield f"To try its fix ({item.said.fix}): trainlint prove --fixes {item.said.code} SCRIPT"
        yield f"To write {'it' if can_be_tried else f'its fix ({item.said.fix})'}: {command}"


def failure_lines(unjudged: Unjudged, style: Style) -> Iterator[Text]:
    """What could not be judged, as `trainlint check` says it."""
    if unjudged.failures:
        yield Text()
    for failure in unjudged.failures:
        text = sentence(failure_sentence(failure), unicode=style.unicode)
        yield from wrapped(Text.assemble(("error: ", "bold red"), text), style, indent="  ")


def note_lines(notes: Iterable[tuple[str, str]], style: Style) -> Iterator[Text]:
    """Notes, each with how it looks, under a blank line; what is told twice is told once."""
    lines = dict.fromkeys(notes)
    if lines:
        yield Text()
    for text, look in lines:
        yield from sentences(text, style, look, indent="  ")


def notes_on(unjudged: Unjudged) -> Iterator[tuple[str, str]]:
    """What was left out and silenced, and that the reader may take for judged."""
    for said in left_out_sentences(unjudged.left_out):
        yield f"note: {said}", "dim"
    if ignored := ignored_sentence(unjudged.ignored):
        yield f"note: {ignored}", "dim"


def _folded(told: Sequence[Defect], style: Style) -> Iterator[Text]:
    if told:
        yield Text()
    for item in told[:_MOST_FOLDED]:
        why_so = f": {item.said.sentence}" if item.said.basis == "simulation" else ""
        share = f" ({percent(item.said.share)} of a step)" if item.said.share else why_so
        yield from wrapped(_heading_of(item, style) + Text(sentence(share, unicode=style.unicode)), style, indent="  ")
    if len(told) > _MOST_FOLDED:
        more = f"and {len(told) - _MOST_FOLDED} more: {label(told[0].said.state)}; --verbose shows all, with reasons"
        yield from wrapped(Text(more, "dim"), style, indent="  ")


def _heading_of(item: Defect, style: Style) -> Text:
    """State, place and rule, with the rules that say the same."""
    said = item.said
    names = ", ".join(dict.fromkeys(f"{one.code} {one.name}" for one in (said, *item.also)))
    return Text.assemble(
        (f"{label(said.state):<12} ", _COLORS[said.state]),
        (sentence(place_text(said.at), unicode=style.unicode), "" if said.state in _FOLDED else "bold"),
        f"  {names}",
    )


def _notes(runs: Sequence[Run], unjudged: Unjudged, style: Style) -> Iterator[Text]:
    """What is off with the machine, and then what the reader must know of the measurement; said once for all ranks."""
    lines = [(f"warning: {concern}", "yellow") for run in runs for concern in run.environment.concerns]
    lines += [(f"note: {note}", "dim") for run in runs for note in run.notes]
    if missing := (compare_ranks(runs).missing if runs[0].world_size > 1 else ()):
        lines.append((f"note: no evidence came from rank {', '.join(map(str, missing))}", "dim"))
    saved = ", ".join(dict.fromkeys(name for run in runs for name in run.redirected))
    if saved:
        lines.append(
            (f"note: what the script saved was written to a temporary directory, which is gone: {saved}", "dim")
        )
    yield from note_lines([*lines, *notes_on(unjudged)], style)
