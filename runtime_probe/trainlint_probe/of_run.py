"""From a script to what a run of it proves."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.evidence import Line, Run
from trainlint.records import replace
from trainlint_probe.confirming import verdicts_on
from trainlint_probe.joined import with_recoverable
from trainlint_probe.judged_run import judge_run, judge_together
from trainlint_probe.launch import Launched, Request, launch
from trainlint_probe.options import Options
from trainlint_probe.orders import Orders
from trainlint_probe.ranks import together
from trainlint_probe.result import Result
from trainlint_probe.runtime_rules import as_verdicts
from trainlint_probe.static import files_at_work, judge_files
from trainlint_probe.traces.events import UnreadableTrace, read_events
from trainlint_probe.traces.judge import judge
from trainlint_probe.traces.reading import TraceReading, reading_of
from trainlint_probe.traces.timeline import Timeline, timeline_of

if TYPE_CHECKING:
    from trainlint_probe.verify.result import Verification

_DEEP_STEPS = 3
"""Steps under the profiler: enough to drop the first, and a trace of tens of megabytes at most."""


def result_of_run(options: Options) -> Result:
    """Run the script that the user named under watch, and judge the files that were seen at work.

    Raises UsageError where there is nothing to run, or no evidence.
    """
    assert options.script is not None, "of_trace is for traces"
    if not options.module and not Path(options.script).is_file():
        raise UsageError(f"there is no script {options.script}")
    with tempfile.TemporaryDirectory(prefix="trainlint-probe-") as directory:
        launched = launch(_request(options), Path(directory))
        if launched.fault:
            raise UsageError(launched.fault)
        if launched.interrupted:
            raise KeyboardInterrupt
        ranks = together(launched.runs)
        reading, timeline, trouble = _read(launched, ranks.typical.rank)
    runs = tuple(_noted(run, launched, trouble) for run in _typical_first(ranks.typical, launched.runs))
    if reading is not None:
        runs = (with_recoverable(runs[0], reading), *runs[1:])
    script = None if options.module else Path(options.script)
    paths = files_at_work(script, _lines(runs[0]))
    static = judge_files(paths)
    verdicts = verdicts_on(static.report, runs[0])
    # A few steps under the profiler say nothing new of what thirty without it have shown.
    found = [*judge_run(runs[0]), *judge_together(ranks)]
    known = {item.name for item in found}
    more = [item for item in (judge(reading) if reading is not None else ()) if item.name not in known]
    of_run = as_verdicts(found, where=options.script, basis="timer")
    verdicts = (*of_run, *as_verdicts(more, where=options.script), *verdicts)
    return Result(runs, verdicts, reading, timeline, comparisons=_verified(options, paths), judged=static.judged)


def _request(options: Options) -> Request:
    deep = 0 if options.deep is False else _DEEP_STEPS
    assert options.script is not None, "of_trace is for traces"
    return Request(
        script=options.script,
        arguments=options.arguments,
        module=options.module,
        processes=options.processes,
        orders=Orders(
            output="",
            warmup=options.warmup,
            steps=options.steps,
            timeout=options.timeout,
            deep_steps=deep,
            deep_without_device=options.deep is True,
        ),
        script_to_stderr=options.output_file is None,
    )


def _read(launched: Launched, rank: int) -> tuple[TraceReading | None, Timeline | None, str]:
    """What the trace of a rank shows, a step of it, and what kept it from being read."""
    path = next((path for path in launched.traces if path.name.startswith(f"trace.rank{rank}.")), None)
    if path is None:
        return None, None, ""
    try:
        trace = read_events(path)
        return reading_of(trace), timeline_of(trace), ""
    except UnreadableTrace as error:
        return None, None, str(error)


def _typical_first(typical: Run, runs: Sequence[Run]) -> tuple[Run, ...]:
    """The rank to speak of, and then the others."""
    return (typical, *(run for run in runs if run is not typical))


def _noted(run: Run, launched: Launched, trouble: str) -> Run:
    """The run, with what the reader must know of its files."""
    changed = launched.changed
    notes = [
        f"the run {what} {', '.join(paths)}"
        for what, paths in (("made", changed.new), ("changed", changed.changed), ("removed", changed.removed))
        if paths
    ]
    return replace(run, notes=(*run.notes, *notes, *([trouble] if trouble else [])))


def _lines(run: Run) -> list[Line | None]:
    loaders = [line for loader in run.loaders for line in (loader.made_at, loader.drawn_at)]
    return [*(item.at for item in run.seen), *loaders, *(item.stepped_at for item in run.optimizers)]


def _verified(options: Options, paths: tuple[Path, ...]) -> tuple[Verification, ...]:
    if not options.verify:
        return ()
    from trainlint_probe.verify.run import Request as Trying
    from trainlint_probe.verify.run import verify

    assert options.script is not None, "of_trace is for traces"
    request = Trying(
        options.script,
        options.arguments,
        module=options.module,
        warmup=options.warmup,
        steps=options.steps,
        pairs=options.pairs,
        timeout=options.timeout,
        seed=options.seed,
    )
    return verify(options.verify, paths, request, tell=console.note)
