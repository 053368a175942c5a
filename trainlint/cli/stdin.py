"""`trainlint check -`: code from standard input, as editors send it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli import console
from trainlint.cli.caching import cache_for
from trainlint.cli.console import UsageError
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

    from trainlint.cli.new_code.narrowing import Narrowing
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
    narrowing: Narrowing | None = None
    if options.only or options.diff_base is not None or configurations.names_baseline([path]):
        from trainlint.cli.new_code.narrowing import narrowing_for

        target = Target(path, shown, len(data))
        narrowing = narrowing_for(options, configurations, Discovery((target,)), {shown: data})
    source: SourceFile | None = None
    asked: Report | None = None
    try:
        source = decode_source(shown, data)
        found, asked = _judged(source, path, options, configurations, fixing, narrowing)
        found = replace(found, rewrites=tuple(replace(rewrite, data=data) for rewrite in found.rewrites))
    except OtherLanguage:
        found = Run(Report((), (), 0), failing=False)
    except UnreadableSource as error:
        found = Run(Report((), (Failure(shown, str(error), UNREADABLE),), 0), failing=False)
    if narrowing is not None:
        found = narrowing.narrowed(found, lambda _: source, asked)
        narrowing.tell_gone(found.report, options)
    if options.diff:
        found = without_commands_in_patches(found)
        show_diff(found, options)
        return found
    for rewrite in found.rewrites:
        data = rewrite.contents[1]
        source = decode_source(shown, data)
    if evidence is not None:
        from trainlint.cli.evidence import with_evidence

        only_confirmed = options.fail_on == CONFIRMED
        found = with_evidence(found, evidence, only_confirmed=only_confirmed, contents={shown: data})
    if fixing:
        console.out_bytes(data)
    stream = sys.stderr if fixing else sys.stdout
    show_report(found.report, lambda _: source, configurations, options, stream)
    return found


def _judged(
    source: SourceFile,
    path: Path,
    options: Namespace,
    configurations: Configurations,
    fixing: Fixing | None,
    narrowing: Narrowing | None,
) -> tuple[Run, Report | None]:
    """What is found in the code, of which only what is new and named is fixed; and this, where anything is fixed."""
    cache = cache_for(options, [path.parent])
    alone = not options.stdin_filename
    asked = None
    if narrowing is not None and fixing is not None:
        before = run_text(source, path, configurations.untracked_copy(), alone=alone, cache=cache)
        asked = narrowing.narrowed(before, lambda _: source).report
        fixing = narrowing.limited(fixing, asked)
    found = run_text(source, path, configurations, fixing=fixing, alone=alone, cache=cache)
    if found.is_partial and not options.quiet:
        tell_partial()
    return found, asked
