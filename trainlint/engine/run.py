"""The run over everything that was found: files and rules in, a Report out."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import Discovery, Target, absolute, shown_path
from trainlint.engine.linkage import Member, linked
from trainlint.engine.surroundings import Surroundings
from trainlint.engine.work import Fixing, Job, Outcome, Rewrite, do, do_text
from trainlint.engine.workers import spread, worker_count
from trainlint.finding import Failure, Report
from trainlint.settings_files import is_settings

if TYPE_CHECKING:
    from trainlint.source import SourceFile

_ALLOCATIONS = 2_000_000
"""So many objects may be made before the garbage collector looks for cycles: syntax trees have none, and the models of
files are taken apart when they are done. Looking for them every 50,000 objects took a third of a run."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run gave: the report, and what only the command line needs to know besides."""

    report: Report
    failing: bool
    """Whether a finding is as severe as the `fail-on` of the configuration that holds for its file."""
    rewrites: tuple[Rewrite, ...] = ()
    """What fixes would make of the files, where they are not to be written."""
    workers: int = 1
    neighbours: int = 0
    """How many files told something of those that were judged, and were not judged themselves."""


def run(
    discovery: Discovery, configurations: Configurations, *, fixing: Fixing | None = None, workers: int | None = None
) -> Run:
    """Judge every file that was found, by the configuration nearest to it, with what its project says of it.

    `workers` is how many processes to use; None uses more than one only where it pays.
    """
    jobs, failures = _jobs(discovery.targets, configurations)
    count = worker_count(jobs, workers)
    with _patience():
        linkage = linked(_members(jobs), Surroundings(configurations, discovery.searched), count)
        jobs = [replace(job, outside=linkage.of(job.target.path)) for job in jobs]
        if count > 1:
            outcomes = spread(jobs, fixing, count)
        else:
            outcomes = [do(job, fixing, linkage.models.pop(job.target.path, None)) for job in jobs]
    found = _gathered(jobs, outcomes, [*discovery.failures, *failures, *linkage.failures])
    return replace(found, workers=count, neighbours=linkage.neighbours)


def _members(jobs: Sequence[Job]) -> list[Member]:
    """The files of a run that may tell each other something: those with code."""
    code = (job for job in jobs if not is_settings(job.target.shown))
    return [Member(job.target.path, job.target.shown, job.target.size, job.selection.config) for job in code]


def run_text(
    source: SourceFile,
    path: Path,
    configurations: Configurations,
    *,
    fixing: Fixing | None = None,
    alone: bool = False,
) -> Run:
    """Judge one text as if it stood at `path`. Nothing is written there.

    `alone` is for a text whose place is not known: its project has no say then.
    """
    target = Target(absolute(path), source.path, len(source.text))
    jobs, failures = _jobs([target], configurations)
    with _patience():
        if not alone:
            linkage = linked([replace(member, text=source) for member in _members(jobs)], Surroundings(configurations))
            jobs = [replace(job, outside=linkage.of(job.target.path)) for job in jobs]
            failures = [*failures, *linkage.failures]
        outcomes = [do_text(source, job, fixing) for job in jobs]
    return _gathered(jobs, outcomes, failures)


def _jobs(targets: Sequence[Target], configurations: Configurations) -> tuple[list[Job], list[Failure]]:
    """What is to be done, and what cannot be: a wrong configuration fails once, not once for each of its files."""
    jobs: list[Job] = []
    failures: dict[Failure, None] = {}
    here = Path.cwd()
    for target in targets:
        job = _job(target, configurations, here)
        if isinstance(job, Job):
            jobs.append(job)
        else:
            failures[job] = None
    return jobs, list(failures)


def _job(target: Target, configurations: Configurations, here: Path) -> Job | Failure:
    try:
        return Job(target, configurations.rules_for(target.path), configurations.of(target.path.parent))
    except Misconfigured as error:
        return Failure(shown_path(error.directory, here), str(error))


def _gathered(jobs: Sequence[Job], outcomes: Sequence[Outcome], failures: Sequence[Failure]) -> Run:
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    all_failures = [*failures, *(failure for outcome in outcomes for failure in outcome.failures)]
    report = Report(
        findings=tuple(sorted(findings, key=lambda finding: finding.order)),
        failures=tuple(sorted(all_failures, key=lambda failure: (failure.path, failure.rule or "", failure.reason))),
        files=sum(outcome.judged for outcome in outcomes),
        suppressed=sum(outcome.suppressed for outcome in outcomes),
        fixed=sum(outcome.fixed for outcome in outcomes),
    )
    return Run(
        report=report,
        failing=any(
            finding.severity >= job.selection.config.fail_on
            for job, outcome in zip(jobs, outcomes, strict=True)
            for finding in outcome.findings
        ),
        rewrites=tuple(outcome.rewrite for outcome in outcomes if outcome.rewrite),
    )


@contextmanager
def _patience() -> Iterator[None]:
    """Silence Python's warnings on the code that is read, and let the garbage collector look less often."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_ALLOCATIONS, *thresholds[1:])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        gc.set_threshold(*thresholds)
