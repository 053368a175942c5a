"""From a script to what a run of it proves."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.evidence.places import Line
from trainlint.evidence.run import Run
from trainlint.symptoms import Symptom
from trainlint_probe.budgets.of_run import limits_of, spendings
from trainlint_probe.changed_files.written_files import about_files
from trainlint_probe.judgement.across_ranks import with_others
from trainlint_probe.judgement.confirming import confirm_findings
from trainlint_probe.judgement.counted import without_finding
from trainlint_probe.judgement.growth import about_few_steps
from trainlint_probe.judgement.joined import with_recoverable
from trainlint_probe.judgement.judged_run import judge_run, judge_together
from trainlint_probe.judgement.ranks import compare_ranks
from trainlint_probe.judgement.runtime_rules import as_verdicts
from trainlint_probe.judgement.static import configured, judge_at_work, with_lines_elsewhere
from trainlint_probe.launch import Launched, Request, about_python, launch, request_of
from trainlint_probe.options import Options
from trainlint_probe.report.progress import about_to_run
from trainlint_probe.result import Result
from trainlint_probe.traces.events import UnreadableTrace, read_events
from trainlint_probe.traces.judge import judge
from trainlint_probe.traces.reading import TraceReading, reading_of
from trainlint_probe.watch.lines import Lines

if TYPE_CHECKING:
    from trainlint_probe.judgement.ranks import RankComparison

_DEEP_STEPS = 3
"""Steps under the profiler: enough to drop the first, and a trace of tens of megabytes at most."""


_OF_ANYBODY = frozenset({Symptom.GRAPH_BREAK, Symptom.RECOMPILE})
"""What is told of the line that it happens at, whoever has written it."""


def result_of_run(options: Options) -> Result:
    """Run the script that the user named under watch, and judge the files that were seen at work.

    Raises UsageError where there is nothing to run, or no evidence.
    """
    assert options.script is not None, "of_trace is for traces"
    limits = limits_of(options)
    launched, ranks, reading, trouble = _watched(options)
    runs = tuple(_noted(run, launched, trouble) for run in _typical_first(ranks.typical, launched.runs))
    if reading is not None:
        runs = (with_recoverable(runs[0], reading), *runs[1:])
    runs = (with_others(runs[0], runs), *runs[1:])
    script = None if options.module else Path(options.script)
    unkept = frozenset(launched.changed.new if launched.overlay.layers else ())
    configurations = configured()
    static = with_lines_elsewhere(
        judge_at_work(script, _lines(runs[0], script, unkept), configurations),
        [line for run in runs[1:] for line in _lines(run, script, unkept)],
        f"it was not at work in rank {runs[0].rank}, which is spoken of, but in another",
    )
    is_simulated = runs[0].simulated is not None
    found = [*judge_run(runs[0]), *([] if is_simulated else judge_together(ranks))]
    # A few steps under the profiler say nothing new of what thirty without it have shown.
    known = {item.name for item in found}
    more = [item for item in (judge(reading) if reading is not None else ()) if item.name not in known]
    of_run = (
        *as_verdicts(found, where=options.script, basis="simulation" if is_simulated else "timer"),
        *without_finding(runs[0], static.report.findings),
    )
    whole = confirm_findings(static, runs[0], (*of_run, *as_verdicts(more, where=options.script)), configurations)
    runs = (_with_missing_module(runs[0]), *runs[1:])
    return Result(
        runs,
        whole.verdicts,
        reading,
        judged=static.judged,
        unjudged=whole.unjudged,
        budgets=spendings(runs, limits),
    )


def watched_run(options: Options) -> Run:
    """What the script that the user named was seen to do, without any judgement of files.

    Raises UsageError where there is nothing to run, or no evidence.
    """
    launched, ranks, _, _ = _watched(options)
    return _with_missing_module(_noted(ranks.typical, launched, ""))


def _watched(options: Options) -> tuple[Launched, RankComparison, TraceReading | None, str]:
    """The run as it was launched, its ranks, what the trace of the typical rank shows, and why it cannot be read."""
    request = _request(options)
    console.note(
        about_to_run(Path(request.script).name if not options.module else request.script, request.child_settings)
    )
    with _temporary_directory() as directory:
        launched = launch(request, Path(directory))
        if launched.fault:
            raise UsageError(launched.fault)
        ranks = compare_ranks(launched.runs)
        return launched, ranks, *_read_trace(launched, ranks.typical.rank, whole=options.deep is True)


def _temporary_directory() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="trainlint-probe-", ignore_cleanup_errors=True)
    except OSError as error:
        raise UsageError(f"there is no room for temporary files ({error.strerror}); set TMPDIR") from error


def _request(options: Options) -> Request:
    assert options.script is not None, "of_trace is for traces"
    request = request_of(options, options.script)
    return replace(
        request,
        child_settings=replace(
            request.child_settings,
            simulated_values=options.values,
            deep_steps=0 if options.deep is False else _DEEP_STEPS,
            deep_without_device=options.deep is True,
            budget=options.budget,
            lines_of=options.lines_of,
        ),
    )


def _read_trace(launched: Launched, rank: int, *, whole: bool) -> tuple[TraceReading | None, str]:
    """What the trace of a rank shows, and what kept it from being read.

    `whole`: also where only the host was recorded, of which the window has shown the same without the profiler.
    """
    path = next((path for path in launched.traces if path.name.startswith(f"trace.rank{rank}.")), None)
    if path is None:
        return None, ""
    try:
        trace = read_events(path)
        return (reading_of(trace) if whole or trace.work else None), ""
    except UnreadableTrace as error:
        return None, str(error)


def _typical_first(typical: Run, runs: Sequence[Run]) -> tuple[Run, ...]:
    """The rank to speak of, and then the others."""
    return (typical, *(run for run in runs if run is not typical))


def _noted(run: Run, launched: Launched, trouble: str) -> Run:
    """The run, with what the reader must know of its files."""
    few = about_few_steps(run) if run.simulated is None else ""  # growth is not judged on a simulated device
    notes = (*([few] if few else []), *about_files(launched.changed, launched.overlay))
    if launched.overlay.layers and run.outcome == "script failed" and not about_python(run.failure):
        notes = (
            *notes,
            "If the overlay made it fail, such as for lack of room, use --no-overlay.",
        )
    return replace(run, notes=(*run.notes, *notes, *([trouble] if trouble else [])))


def _lines(run: Run, script: Path | None, unkept: frozenset[str]) -> list[Line | None]:
    """The user's own lines at which something was seen. What PyTorch compiles may be a library's.

    Not those of files that the run made on an overlay: they are the user's no more than what else is gone with it.
    """
    is_users = Lines(str(script.absolute().parent if script is not None else Path.cwd())).is_users
    seen = (item.at for item in run.seen if item.symptom not in _OF_ANYBODY or is_users(item.at.path))
    loaders = (line for loader in run.loaders for line in (loader.made_at, loader.drawn_at))
    lines = [*seen, *loaders, *(item.stepped_at for item in run.optimizers)]
    return [line for line in lines if line is None or str(Path(line.path).absolute()) not in unkept]


def _with_missing_module(run: Run) -> Run:
    """The run, with which Python it was where the script could not import something: trainlint's own, perhaps."""
    note = about_python(run.failure)
    return replace(run, notes=(note, *run.notes)) if note else run
