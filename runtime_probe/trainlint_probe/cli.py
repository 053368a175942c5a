"""`trainlint probe` and `trainlint doctor`: from what was typed to the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trainlint.cli import console
from trainlint.cli.output import tell_failures
from trainlint.cli.report_file import print_report, write_report
from trainlint.evidence.verdicts import State
from trainlint_probe.child_settings import SAFETY_STOP, TIMED_OUT
from trainlint_probe.options import Options, read_options
from trainlint_probe.result import Result

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from trainlint.report.settings import Style

NOTHING_CONFIRMED, CONFIRMED, COULD_NOT_JUDGE, NO_WINDOW, SCRIPT_FAILED = 0, 1, 2, 3, 4
OVER_BUDGET = 1
_BY_OUTCOME = {
    "no step": NO_WINDOW,
    "too short": NO_WINDOW,
    "script failed": SCRIPT_FAILED,
    "safety stop": SAFETY_STOP,
    "timed out": TIMED_OUT,
}


def probe(arguments: Sequence[str]) -> int:
    """Run a training, or read a trace of one, say what that proves, and return the exit code. Raises UsageError."""
    options = read_options(arguments)
    if options.trace is not None:
        from trainlint_probe.of_trace import result_of_trace

        result = result_of_trace(options, options.trace)
    else:
        from trainlint_probe.of_run import result_of_run

        result = result_of_run(options)
    _show(result, options)
    return exit_code(result)


def doctor(arguments: Sequence[str]) -> int:
    """Print what a training would find on this machine, and what is off with it. Raises UsageError."""
    from trainlint_probe.doctor import examine

    return examine(arguments)


def parser_of(command: str) -> ArgumentParser:
    """The parser of one of the commands that this package brings, for completion in a shell."""
    from trainlint_probe.judging.command import judge_parser
    from trainlint_probe.options import doctor_parser, probe_parser
    from trainlint_probe.planned.options import plan_parser
    from trainlint_probe.prove.options import prove_parser

    builders = {
        "probe": probe_parser,
        "doctor": doctor_parser,
        "judge": judge_parser,
        "prove": prove_parser,
        "plan": plan_parser,
    }
    return builders[command]()


def exit_code(result: Result) -> int:
    """How a run went comes before what it found: what was cut short has confirmed nothing by its silence.

    A script that ended early has still measured its steps; only a budget needs all that were asked for. Then, as for
    `trainlint check`, comes what could not be judged, whatever else was found.
    """
    for run in result.runs:
        has_measured = run.outcome == "too short" and bool(run.steps) and not result.budgets
        if run.outcome in _BY_OUTCOME and not has_measured:
            return _BY_OUTCOME[run.outcome]
    if result.unjudged.failures or not all(spending.is_judged for spending in result.budgets):
        return COULD_NOT_JUDGE
    if result.budgets:
        return OVER_BUDGET if any(spending.over for spending in result.budgets) else NOTHING_CONFIRMED
    confirmed = any(item.state is State.CONFIRMED for item in result.verdicts)
    return CONFIRMED if confirmed else NOTHING_CONFIRMED


def _show(result: Result, options: Options) -> None:
    print_report(_text(result, options), options.output_file)
    if options.output_file is not None:
        tell_failures(result.unjudged.failures)
    if options.page is not None:
        from trainlint.report.settings import Style
        from trainlint_probe.report.page import page

        write_report(options.page, page(_report(result, Style(color=True), verbose=True)))
        console.note(f"The page is {options.page}.")


def _text(result: Result, options: Options) -> str:
    from trainlint.report.settings import style_of_report

    if options.output_format == "json":
        from trainlint_probe.report.document import document

        return document(result)
    return _report(result, style_of_report(options.color, options.output_file), verbose=options.verbose)


def _report(result: Result, style: Style, *, verbose: bool) -> str:
    if not result.runs:
        from trainlint_probe.report.terminal_trace import render_trace

        return render_trace(result, style, verbose=verbose)
    if result.runs[0].simulated is not None:
        from trainlint_probe.report.simulated import render_simulated

        return render_simulated(result, style, verbose=verbose)
    from trainlint_probe.report.terminal import render

    return render(result, style, verbose=verbose)
