"""From a trace that somebody recorded to what it proves: nothing is run, and PyTorch need not be installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from trainlint.cli.console import UsageError
from trainlint.evidence.run import Environment, Run, Step
from trainlint.finding import Failure
from trainlint_probe.judgement.confirming import confirm_findings
from trainlint_probe.judgement.joined import waits_in
from trainlint_probe.judgement.runtime_rules import as_verdicts
from trainlint_probe.judgement.static import configured, judge_files, with_lines_elsewhere
from trainlint_probe.judgement.verdicts import WHOLE_TRACE
from trainlint_probe.options import Options
from trainlint_probe.result import Result
from trainlint_probe.traces.events import UnreadableTrace
from trainlint_probe.traces.judge import judge, judge_ranks
from trainlint_probe.traces.ranks import RanksReading, read_ranks
from trainlint_probe.traces.reading import TraceReading, read_trace


def result_of_trace(options: Options, path: Path) -> Result:
    """What a trace, or a directory with one for each rank, shows. Raises UsageError where it cannot be read."""
    readings: TraceReading | RanksReading
    try:
        if path.is_dir():
            readings = read_ranks(path)
            reading = readings.ranks[0]
            found = [*judge_ranks(readings), *(item for rank in readings.ranks for item in judge(rank))]
        else:
            readings = reading = read_trace(path)
            found = judge(reading)
    except UnreadableTrace as error:
        raise UsageError(str(error)) from error
    run = run_of(reading)
    of_run = as_verdicts(found, where=str(path))
    lines = [item.at for item in run.seen]
    configurations = configured()
    static = judge_files(options.paths, configurations)
    static = with_lines_elsewhere(static, lines, "the trace has lines of it, and it was not named")
    whole = confirm_findings(static, run, of_run, configurations)
    unjudged = replace(whole.unjudged, failures=(*whole.unjudged.failures, *_unread(readings)))
    return Result((), whole.verdicts, readings, judged=static.judged, unjudged=unjudged)


def _unread(readings: TraceReading | RanksReading) -> tuple[Failure, ...]:
    """The ranks of which nothing can be said: what the others show may not be all that is wrong."""
    if not isinstance(readings, RanksReading):
        return ()
    return tuple(
        Failure(path, f"this rank is missing from all that is said here: {reason}")
        for path, reason in readings.unreadable.items()
    )


def run_of(reading: TraceReading) -> Run:
    """A trace as a run: what its lines did, and what its steps took."""
    steps = tuple(Step(ms, reading.phases) for ms in reading.steps_ms) or (Step(reading.step_ms, reading.phases),)
    device = "cuda" if reading.device else "cpu"
    clock = reading.window.marks if reading.window.steps else WHOLE_TRACE
    seen = waits_in(reading, len(steps))
    return Run((), Environment({}), "window closed", steps=steps, clock=clock, seen=seen, device=device)
