"""`trainlint check -`: code from standard input, as editors send it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli import console
from trainlint.cli.caching import cache_for
from trainlint.cli.check import narrowed
from trainlint.cli.console import UsageError
from trainlint.cli.new_code.narrowing import limited
from trainlint.cli.new_code.only import only_for
from trainlint.cli.output import (
    require_writable_reports,
    show_diff,
    show_report,
    tell_partial,
    without_commands_in_patches,
)
from trainlint.config.settings import CONFIRMED
from trainlint.engine.discover import Discovery, Target
from trainlint.engine.parsing import UNREADABLE
from trainlint.engine.read import too_large
from trainlint.engine.run import Run, run_text
from trainlint.finding import Failure, Report
from trainlint.notebooks import most_bytes
from trainlint.paths import absolute, shown_path
from trainlint.source import OtherLanguage, SourceFile, UnreadableSource, decode_source

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from trainlint.cli.new_code.narrowing import Narrowing
    from trainlint.cli.new_code.only import Only
    from trainlint.engine.configurations import Configurations
    from trainlint.engine.rewriting import Fixing
    from trainlint.verdict_file import Evidence


def _given(options: Namespace) -> bytes:
    """The code. Raises UsageError where there is none, or too much."""
    if sys.stdin is None:
        raise UsageError("standard input is closed, so there is no code to judge")
    require_writable_reports(options, ())
    most = most_bytes(options.stdin_filename or "")
    data = sys.stdin.buffer.read(most + 1)
    if len(data) > most:  # what was not read cannot be written back
        raise UsageError(f"standard input: {too_large(options.stdin_filename or '')}")
    return data


def check_stdin(
    options: Namespace, configurations: Configurations, fixing: Fixing | None, evidence: Evidence | None = None
) -> Run:
    """Judge the code on standard input. With --fix the code goes on to stdout, fixed, and the report to stderr."""
    data = _given(options)
    here = Path.cwd()
    path = absolute(here / (options.stdin_filename or "<stdin>"))
    shown = shown_path(path, here)
    narrowing = _narrowing(options, configurations, Target(path, shown, len(data)), data)
    only = only_for(options, configurations, {shown: path})
    source: SourceFile | None = None
    asked: Report | None = None
    try:
        source = decode_source(shown, data)
        if fixing is not None and (narrowing is not None or only is not None):
            asked = _asked(source, path, options, configurations.untracked_copy(), narrowing, only)
            fixing = limited(fixing, asked)
        found = _judged(source, path, options, configurations, fixing)
        if found.is_partial and not options.quiet:
            tell_partial()
        found = replace(found, rewrites=tuple(replace(rewrite, data=data) for rewrite in found.rewrites))
    except OtherLanguage:
        found = Run(Report((), (), 0), failing=False)
    except UnreadableSource as error:
        found = Run(Report((), (Failure(shown, str(error), UNREADABLE),), 0), failing=False)
    found = narrowed(found, narrowing, only, asked, lambda _: source)
    if narrowing is not None:
        narrowing.tell_gone(found.report, options)
    if options.diff:
        found = without_commands_in_patches(found)
        show_diff(found, options)
        return found
    for rewrite in found.rewrites:
        data = rewrite.contents[1]
        source = decode_source(shown, data)
    found = _with_evidence(found, evidence, options, {shown: data})
    if fixing:
        console.out_bytes(data)
    stream = sys.stderr if fixing else sys.stdout
    show_report(found.report, lambda _: source, configurations, options, stream)
    return found


def _narrowing(options: Namespace, configurations: Configurations, target: Target, data: bytes) -> Narrowing | None:
    """What the run leaves out because it is not new; None where all counts. Raises UsageError."""
    if options.diff_base is None and not configurations.names_baseline([target.path]):
        return None
    from trainlint.cli.new_code.narrowing import narrowing_for

    return narrowing_for(options, configurations, Discovery((target,)), {target.shown: data})


def _judged(
    source: SourceFile,
    path: Path,
    options: Namespace,
    configurations: Configurations,
    fixing: Fixing | None,
) -> Run:
    """What is found in the code."""
    cache, alone = cache_for(options, [path.parent]), not options.stdin_filename
    return run_text(source, path, configurations, fixing=fixing, alone=alone, cache=cache)


def _with_evidence(found: Run, evidence: Evidence | None, options: Namespace, contents: Mapping[str, bytes]) -> Run:
    """The run with what a measurement proved of its findings."""
    if evidence is None:
        return found
    from trainlint.cli.evidence import with_evidence

    return with_evidence(found, evidence, only_confirmed=options.fail_on == CONFIRMED, contents=contents)


def _asked(
    source: SourceFile,
    path: Path,
    options: Namespace,
    configurations: Configurations,
    narrowing: Narrowing | None,
    only: Only | None,
) -> Report:
    """What a fix may be for: the findings that are new, and named. Raises UsageError."""
    found = _judged(source, path, options, configurations, None)
    if narrowing is not None:
        found = narrowing.narrowed(found, lambda _: source)
    return (found if only is None else only.named(found, lambda _: source)).report
