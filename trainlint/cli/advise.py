"""`trainlint advise`: what to do first."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.bounded import SOURCE_BYTES, read_bounded, reason_of
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.cli.output import tell_failures
from trainlint.report.advice import FORMATS, Advice, render, render_out_of_memory
from trainlint.report.measured import stale_sentences
from trainlint.report.settings import style_for

if TYPE_CHECKING:
    from argparse import Namespace

    from trainlint.advising.item import Item
    from trainlint.engine.configurations import Configurations
    from trainlint.engine.run import Run
    from trainlint.verdict_file import Evidence

DONE, COULD_NOT_JUDGE = 0, 2


def advise(options: Namespace) -> int:
    """Print the list; 2 where something could not be judged. Raises UsageError."""
    if options.oom is not None:
        return _of_message(options)
    found, configurations, evidence = _judged(options)
    tell_failures(found.report.failures)
    for _, said in stale_sentences(found.report):
        console.note(f"note: {said}")
    items = _items(found, configurations, evidence, options)
    measured = found.report.measured
    is_of_this_code = measured is not None and (measured.verdicts or not measured.stale)
    advice = Advice(items, measured.run if measured and is_of_this_code else None, planned=options.plan is not None)
    console.out(render(advice, options.output_format, style_for(sys.stdout, options.color)))
    return COULD_NOT_JUDGE if found.report.failures else DONE


def _judged(options: Namespace) -> tuple[Run, Configurations, Evidence | None]:
    from trainlint.cli.caching import cache_for
    from trainlint.cli.check import configurations_of
    from trainlint.cli.evidence import usable_evidence, with_evidence
    from trainlint.engine.discover import discover
    from trainlint.engine.run import run

    configurations = configurations_of(options)
    evidence = usable_evidence(options.evidence, only_confirmed=False) if options.evidence is not None else None
    paths = [Path(path) for path in options.paths] or [Path()]
    discovery = discover(paths, configurations.excludes, force_exclude=configurations.forces_exclude)
    found = run(discovery, configurations, workers=options.jobs, cache=cache_for(options, paths))
    if evidence is not None:
        found = with_evidence(found, evidence, only_confirmed=False)
    return found, configurations, evidence


def _items(
    found: Run, configurations: Configurations, evidence: Evidence | None, options: Namespace
) -> tuple[Item, ...]:
    from trainlint.advising.findings import items_of_findings
    from trainlint.advising.plan_items import BadPlan, items_of_plan
    from trainlint.advising.ranking import ranked

    report = found.report
    verdicts = report.measured.verdicts if report.measured is not None else {}
    items = items_of_findings(report.findings, configurations.rules_that_ran(), verdicts)
    listed = frozenset(item.key for item in items)
    if evidence is not None and not (report.measured and report.measured.stale):
        from trainlint.advising.run_items import items_of_runs

        items += items_of_runs(evidence.runs, listed)
    if options.plan is not None:
        try:
            plan = json.loads(_text_of(options.plan))
            items += items_of_plan(plan, listed)
        except BadPlan as error:
            raise UsageError(f"{options.plan} {error}") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{options.plan} is no JSON ({error})") from error
    return ranked(items)


def _of_message(options: Namespace) -> int:
    from trainlint.advising.out_of_memory import NoMessage, read_message

    text = sys.stdin.read(SOURCE_BYTES) if options.oom == "-" else _text_of(Path(options.oom))
    try:
        found = read_message(text)
    except NoMessage as error:
        source = "standard input" if options.oom == "-" else options.oom
        raise UsageError(f"{source} {error}") from error
    assert options.output_format in FORMATS
    console.out(render_out_of_memory(found, options.output_format, style_for(sys.stdout, options.color)))
    return DONE


def _text_of(path: Path) -> str:
    try:
        return read_bounded(path, SOURCE_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({reason_of(error)})") from error
