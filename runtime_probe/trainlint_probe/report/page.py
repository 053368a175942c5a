"""For people with a browser: one page with pictures. It needs no network, runs no script, and fits phones and paper."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from statistics import fmean, median
from typing import TYPE_CHECKING

from trainlint import __version__
from trainlint.evidence import Phase, Run, State, Verdict
from trainlint.handbook import HOME, docs_url
from trainlint.report.markup import html_environment
from trainlint.report.words import failure_sentence
from trainlint.verdict_file import script_of
from trainlint_probe.budgets.words import lines_of
from trainlint_probe.judgement.ranks import compare_ranks
from trainlint_probe.judgement.step_times import mean_phases
from trainlint_probe.judgement.utilization import utilization
from trainlint_probe.profile_tables.page import tables_of_page
from trainlint_probe.report import pictures
from trainlint_probe.report.drawing import Picture
from trainlint_probe.report.first import gain, to_do_first
from trainlint_probe.report.picture_of_timeline import timeline_picture
from trainlint_probe.report.words import (
    busy_sentence,
    capital,
    cost_of_watching,
    counts,
    defects,
    fix_command,
    frequency_text,
    full,
    ignored_sentence,
    label,
    left_out_sentences,
    milliseconds,
    percent,
    place_text,
    why,
    why_no_step,
    without_confirmed,
)
from trainlint_probe.result import EVERYTHING_JUDGED, Unjudged
from trainlint_probe.wording.units import duration

if TYPE_CHECKING:
    from jinja2 import Template

    from trainlint_probe.budgets.judged import Spending
    from trainlint_probe.profile_tables.tables import ProfileTables
    from trainlint_probe.traces.ranks import RanksReading
    from trainlint_probe.traces.reading import TraceReading
    from trainlint_probe.traces.timeline import Timeline

_STATES = {
    State.CONFIRMED: "it costs at least the threshold, 1% of the time unless another was set",
    State.INCONCLUSIVE: "it may cost more or less than the threshold",
    State.UNMEASURED: "it ran, and what it costs shows on a GPU alone, or the probe cannot see it",
    State.REFUTED: "it ran, and costs less than the threshold",
    State.NOT_OBSERVED: "nothing of it was seen, and it is not known to have run",
}

_ADVISED = 3
"""Findings that are named under "What to do first"."""
_MOST_PLACES = 15
"""Rows of a table of places in a trace. The JSON document has all."""


def page(
    runs: Sequence[Run],
    verdicts: Sequence[Verdict],
    reading: TraceReading | RanksReading | None = None,
    *,
    timeline: Timeline | None = None,
    tables: ProfileTables | None = None,
    unjudged: Unjudged = EVERYTHING_JUDGED,
    budgets: Sequence[Spending] = (),
) -> str:
    """The whole page.

    Args:
        runs: one for each process, the one to speak of first; none where only a trace was read.
        verdicts: on what findings, in any order.
        reading: what a trace shows, or the traces of all ranks, where there are any.
        timeline: a step of that trace.
        tables: its operators and modules.
        unjudged: what no verdict speaks of.
        budgets: what each process spent, where there is a budget.

    Raises:
        MissingLibrary: Matplotlib is not installed.
    """
    run = runs[0] if runs else None
    traces = _traces(reading)
    trace = traces[0] if traces else None
    phases = mean_phases(run) if run else _phases(trace)
    return _template().render(
        **_of_run(run),
        **tables_of_page(tables, run),
        title=_title(run, reading.path if reading else None),
        first=to_do_first(verdicts, sum(phases.values()), _ADVISED),
        instead=list(_instead(run, phases, verdicts, unjudged)),
        split=pictures.step_split(phases, "trace" if _is_whole(run, trace) else "step") if phases else None,
        split_of=_split_of(runs, trace),
        phases=phases,
        whole=sum(phases.values()),
        defects=defects(verdicts),
        counts=counts(defects(verdicts)),
        failures=[failure_sentence(failure) for failure in unjudged.failures],
        states=_STATES,
        per="a step" if run or trace is None else trace.per,
        busy=busy_sentence(run) if run else "",
        pictures=list(filter(None, _pictures(runs, traces, timeline))),
        reading=trace,
        most=_MOST_PLACES,
        budgets=[(spending, list(lines_of(spending))) for spending in budgets],
        concerns=_concerns(runs),
        notes=[*_notes_of_runs(runs), *_notes_of_trace(reading, trace), *_notes_on(unjudged)],
        version=__version__,
        home=HOME,
    )


def _concerns(runs: Sequence[Run]) -> list[str]:
    """What is off with the machines, each told once."""
    return list(dict.fromkeys(concern for each in runs for concern in each.environment.concerns))


def _of_run(run: Run | None) -> dict[str, object]:
    """What the page shows of a run alone, by the template's names."""
    if run is None:
        nothing = dict.fromkeys(("run", "mean", "median", "utilization"))
        return {**nothing, "command": "", "why_no_step": "", "seen": [], "facts": {}}
    times = [step.ms for step in run.steps]
    return {
        "run": run,
        "command": shlex.join(run.command),
        "why_no_step": why_no_step(run),
        "mean": fmean(times) if times else None,
        "median": median(times) if times else None,
        "utilization": utilization(run),
        "seen": sorted(run.seen, key=lambda item: (-(item.host_ms or 0.0), item.at)),
        "facts": run.environment.facts,
    }


def _template() -> Template:
    environment = html_environment("trainlint_probe.report")
    environment.globals.update(
        {
            function.__name__: function
            for function in (
                duration,
                fix_command,
                full,
                gain,
                label,
                milliseconds,
                frequency_text,
                percent,
                place_text,
                why,
            )
        },
        url=docs_url,
    )
    return environment.get_template("page.html")


def _traces(reading: TraceReading | RanksReading | None) -> Sequence[TraceReading]:
    from trainlint_probe.traces.ranks import RanksReading

    if isinstance(reading, RanksReading):
        return reading.ranks
    return [reading] if reading else []


def _phases(trace: TraceReading | None) -> dict[Phase, float]:
    return {phase: trace.phases[phase] for phase in Phase if trace.phases.get(phase)} if trace else {}


def _title(run: Run | None, path: str | None) -> str:
    script = script_of(run.command) if run else ""
    if script:
        return f"Where {script} spends its time"
    return f"What {PurePath(path).name} shows" if path else "Where the training spends its time"


def _split_of(runs: Sequence[Run], trace: TraceReading | None) -> str:
    if not runs:
        rank = f" of rank {trace.rank}" if trace and trace.rank is not None else ""
        if _is_whole(None, trace):
            return f"The whole trace{rank}, as the host spends it: no steps are marked in it."
        return f"The mean step{rank} in the trace, as the host spends it."
    rank = f" of rank {runs[0].rank}" if len(runs) > 1 else ""
    clock = f" A step is {runs[0].clock}." if runs[0].clock else ""
    return f"The mean step{rank}, as the host spends it.{clock}"


def _is_whole(run: Run | None, trace: TraceReading | None) -> bool:
    """Whether the page is about a trace that does not tell steps apart."""
    return run is None and trace is not None and not trace.window.steps


def _pictures(
    runs: Sequence[Run], traces: Sequence[TraceReading], timeline: Timeline | None
) -> Iterator[Picture | None]:
    ranks = {run.rank: mean_phases(run) for run in runs if run.steps}
    if not runs:
        ranks = {trace.rank: _phases(trace) for trace in traces if trace.rank is not None}
    if runs:
        yield pictures.phases_of_steps(runs[0])
    straggler = compare_ranks(runs).straggler if runs else None
    yield pictures.processes(dict(sorted(ranks.items())), straggler.sentence if straggler else "")
    if timeline:
        yield timeline_picture(timeline)
    if runs:
        yield pictures.memory(runs[0])


def _instead(
    run: Run | None, phases: Mapping[Phase, float], verdicts: Sequence[Verdict], unjudged: Unjudged
) -> Iterator[str]:
    """What to say where no finding is confirmed."""
    if run and not run.steps:
        yield "Nothing can be said before steps are seen: let the script run longer, or ask for fewer with --steps."
        return
    yield without_confirmed(verdicts, unjudged)
    if phases:
        longest = max(phases, key=lambda phase: phases[phase])
        yield f"The longest phase is {longest.value}, {phases[longest] / sum(phases.values()):.0%} of the time."
    if run and run.device == "cpu" and any(item.state is State.UNMEASURED for item in verdicts):
        yield "What could not be timed would show itself on an accelerator: run the probe where you train."


def _notes_of_runs(runs: Sequence[Run]) -> Iterator[str]:
    if not runs:
        return
    run = runs[0]
    if run.steps:
        yield from _notes_of_steps(run, others=len(runs) > 1)
    if run.world_size > 1 and (missing := compare_ranks(runs).missing):
        yield f"No evidence came from rank {', '.join(map(str, missing))}."
    for note in dict.fromkeys(note for each in runs for note in each.notes):
        yield full(note)
    for files in dict.fromkeys(each.redirected for each in runs if each.redirected):
        yield f"What the script saved was written to a temporary directory, which is gone: {', '.join(files)}."


def _notes_of_steps(run: Run, *, others: bool) -> Iterator[str]:
    yield (
        f"A step lasts from one {run.clock or 'step of the optimizer'} to the next, by the host's clock. "
        f"{capital(cost_of_watching(run))}."
    )
    yield "A wait for data is the most that a faster loader could gain, since loading more at once takes time, too."
    yield "Gains do not add up: where one wait is gone, the host may wait longer at the next."
    yield f"What ran in none of these {len(run.steps)} steps is not judged, such as what ends an epoch."
    if run.device == "cpu":
        yield "There was no accelerator: of waits for one, copies to it and its memory this page says nothing."
    else:
        yield (
            "Phases are the host's. The device works behind the host, "
            "so a phase may hold a wait for what an earlier one asked for."
        )
    if others:
        yield f"Where no rank is named, numbers are those of rank {run.rank}."


def _notes_of_trace(reading: TraceReading | RanksReading | None, trace: TraceReading | None) -> Iterator[str]:
    if reading is None or trace is None:
        return
    if trace.device:
        yield (
            "What a wait costs is bounded by the time that the host is blocked, and by the time that the device idles "
            "until the next wait ends. This is a model of what would happen without the wait, not a measurement."
        )
    if trace is not reading:
        rank = "" if trace.rank is None else f" {trace.rank}"
        yield f"Where no rank is named, what a trace shows is that of rank{rank}."
    yield from dict.fromkeys((*reading.notes, *trace.notes))


def _notes_on(unjudged: Unjudged) -> Iterator[str]:
    yield from map(full, left_out_sentences(unjudged.left_out))
    if ignored := ignored_sentence(unjudged.ignored):
        yield full(ignored)
