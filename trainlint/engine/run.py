"""The run over everything that was found: files and rules in, a Report out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import Discovery, Target
from trainlint.engine.members import Member, may_tell
from trainlint.engine.surroundings import Surroundings
from trainlint.engine.work import Fixing, Job, Outcome, Rewrite, do_text
from trainlint.finding import Failure, Report
from trainlint.paths import absolute, shown_path
from trainlint.records import dataclass, replace
from trainlint.settings_files import is_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.source import SourceFile


_SMALL = 200_000
"""Bytes of source without a word of training: to parse less takes no longer than to ask a cache, which takes 20 ms."""


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
    unfixed: tuple[str, ...] = ()
    """Why files were not fixed that could be judged, a sentence each."""


def run(
    discovery: Discovery,
    configurations: Configurations,
    *,
    fixing: Fixing | None = None,
    workers: int | None = None,
    cache: Cache | None = None,
) -> Run:
    """Judge every file that was found, by the configuration nearest to it, with what its project says of it.

    `workers` is how many processes to use; None uses more than one only where it pays. What the `cache` knows is not
    done again, and what is done it is told; but files are always fixed afresh.
    """
    jobs, failures = _jobs(discovery.targets, configurations)
    members = _members(jobs)
    surroundings = Surroundings(configurations, discovery.searched)
    if cache is None or not _pays(jobs, members):
        found = _judged(jobs, members, surroundings, fixing, workers)
    else:
        from trainlint.engine.known import WholeRun, keep_run, key_of_run, known_run

        key = key_of_run(jobs, members, surroundings, cache) if fixing is None else None
        known = known_run(key, cache)
        if known is None:
            found = _judged(jobs, members, surroundings, fixing, workers, cache)
            keep_run(key, WholeRun(found.report, found.failing, found.neighbours), cache)
        else:
            found = Run(known.report, known.failing, neighbours=known.neighbours)
        cache.save()
    failures = [*found.report.failures, *discovery.failures, *failures]
    return replace(found, report=replace(found.report, failures=_in_order(failures)))


def _pays(jobs: Sequence[Job], members: Sequence[Member]) -> bool:
    """Whether it pays to ask a cache about these files. Where any trains, the import of the model takes 60 ms."""
    return sum(job.size for job in jobs) > _SMALL or any(map(may_tell, members))


def _judged(
    jobs: Sequence[Job],
    members: Sequence[Member],
    surroundings: Surroundings,
    fixing: Fixing | None,
    workers: int | None,
    cache: Cache | None = None,
) -> Run:
    """Link the files, and judge each of them, but for what the cache knows."""
    from trainlint.engine.linkage import linked  # a run of which all is known needs none of this
    from trainlint.engine.patience import patience
    from trainlint.engine.workers import doer, judged, worker_count

    count = worker_count(jobs, workers)
    with patience(), doer(count, jobs, workers, at_once=cache is None) as hands:
        linkage = linked(members, surroundings, hands, cache)
        jobs = [
            replace(job, outside=linkage.of(job.path), outside_mark=linkage.marks.get(job.path, b""))
            for job in jobs
            if job.path not in linkage.given_up
        ]
        if cache is None or fixing is not None:
            outcomes = judged(jobs, fixing, hands)
        else:
            from trainlint.engine.known import judged_anew

            outcomes = judged_anew(jobs, hands, cache)
    return replace(_gathered(jobs, outcomes, linkage.failures), workers=count, neighbours=linkage.neighbours)


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
    cache: Cache | None = None,
) -> Run:
    """Judge one text as if it stood at `path`. Nothing is written there.

    `alone` is for a text whose place is not known: its project has no say then. The `cache` knows its neighbours.
    """
    from trainlint.engine.linkage import linked
    from trainlint.engine.patience import patience

    target = Target(absolute(path), source.path, len(source.text))
    jobs, failures = _jobs([target], configurations)
    with patience():
        if not alone:
            members = [replace(member, text=source) for member in _members(jobs)]
            linkage = linked(members, Surroundings(configurations), cache=cache)
            jobs = [replace(job, outside=linkage.of(job.path)) for job in jobs if job.path not in linkage.given_up]
            failures = [*failures, *linkage.failures]
        outcomes = [do_text(source, job, fixing) for job in jobs]
    if cache is not None:
        cache.save()
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
    report = Report(
        findings=tuple(sorted(findings, key=lambda finding: finding.order)),
        failures=_in_order([*failures, *(failure for outcome in outcomes for failure in outcome.failures)]),
        files=sum(outcome.judged for outcome in outcomes),
        suppressed=sum(outcome.suppressed for outcome in outcomes),
        fixed=sum(outcome.fixed for outcome in outcomes),
        unapplied=tuple(fix for outcome in outcomes for fix in outcome.unapplied),
    )
    return Run(
        report=report,
        failing=any(
            finding.severity >= job.selection.config.fail_on
            for job, outcome in zip(jobs, outcomes, strict=True)
            for finding in outcome.findings
        ),
        rewrites=tuple(outcome.rewrite for outcome in outcomes if outcome.rewrite),
        unfixed=tuple(outcome.unfixed for outcome in outcomes if outcome.unfixed),
    )


def _in_order(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    return tuple(sorted(failures, key=lambda failure: (failure.path, failure.rule or "", failure.reason)))
