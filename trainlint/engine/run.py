"""The run over everything that was found: files and rules in, a Report out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import Discovery, Target
from trainlint.engine.index.project_files import Member, ProjectFiles
from trainlint.engine.work import Job, Outcome, Rewrite, do_text, judge_and_fix, written
from trainlint.finding import NOTHING_EXECUTED, Failure, Report
from trainlint.notebooks import SUFFIX
from trainlint.paths import absolute, shown_path
from trainlint.training_settings.files import is_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.engine.index.link_memory import LinkMemory
    from trainlint.engine.linker import Linker
    from trainlint.engine.pool.tasks import Executor, OnProgress
    from trainlint.engine.rewriting import Fixing
    from trainlint.finding import Finding
    from trainlint.source import SourceFile


_SMALL = 200_000
"""Bytes of source without a word of training: to parse less takes no longer than to ask a cache, which takes 20 ms, or
than to start a worker. Where any file trains, the import of the model takes 60 ms, so a cache is asked."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run gave: the report, and what only the command line needs to know besides."""

    report: Report
    failing: bool
    """Whether a finding is as severe as the `fail-on` of the configuration that holds for its file."""
    rewrites: tuple[Rewrite, ...] = ()
    """What fixes would make of the files, where they are not to be written."""
    workers: int = 1
    context_files: int = 0
    """How many files took part in linking that were not judged."""
    unfixed: tuple[str, ...] = ()
    """Why files were not fixed that could be judged, a sentence each."""
    before: int = 0
    """How many findings there were before anything was fixed, known in the baseline or not."""
    is_partial: bool = False
    """Whether files of too large a project took no part that belong to the files of the run."""
    may_train: bool = True
    """Whether some file of the projects may train a model. False only where all of them were looked at."""
    sought_modules: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    """Directory and module that was looked for in it, as no file in sight is that module → whether it may be there."""


def run(
    discovery: Discovery,
    configurations: Configurations,
    *,
    fixing: Fixing | None = None,
    workers: int | None = None,
    cache: Cache | None = None,
    on_progress: OnProgress | None = None,
) -> Run:
    """Judge every file that was found, by the configuration nearest to it, with what its project says of it.

    `workers` is how many processes to use; None uses more than one only where that is faster. Results that the `cache`
    has are not computed again, and new ones are added to it; but files are always fixed afresh. `on_progress` is
    called after each task.
    """
    jobs, failures = _jobs(discovery.targets, configurations)
    files = ProjectFiles(_members(jobs), configurations, discovery.searched, discovery.shipped)
    little = sum(job.size for job in jobs) <= _SMALL and not files.may_hold_findings
    if little and workers in (None, 1):
        found = replace(_judged_alone(jobs, fixing), may_train=files.may_hold_findings)
    elif little or cache is None:
        found = _judged(jobs, files, fixing, workers, on_progress=on_progress)
    else:
        from trainlint.engine.cache_keys import key_of_run
        from trainlint.engine.cached_results import WholeRun, keep_run, known_run

        key = key_of_run(jobs, files, cache) if fixing is None else None
        known = known_run(key, cache)
        if known is None:
            found = _judged(jobs, files, fixing, workers, cache, on_progress=on_progress)
            keep_run(
                key,
                WholeRun(
                    found.report,
                    found.failing,
                    found.context_files,
                    found.is_partial,
                    found.may_train,
                    found.sought_modules,
                ),
                cache,
            )
        else:
            found = Run(
                known.report,
                known.failing,
                context_files=known.context_files,
                is_partial=known.is_partial,
                may_train=known.may_train,
            )
        cache.save()
    failures = [*found.report.failures, *discovery.failures, *failures]
    return replace(found, report=replace(found.report, failures=_in_order(failures)))


def _judged_alone(jobs: Sequence[Job], fixing: Fixing | None) -> Run:
    """Judge files that have nothing to tell each other, in this process, without importing what links them."""
    from trainlint.engine.pool.process_settings import settings_for_judging

    with settings_for_judging():
        outcomes = _written(jobs, [judge_and_fix(job, fixing) for job in jobs], fixing)
        return _gathered(jobs, outcomes, ())


def _judged(
    jobs: Sequence[Job],
    files: ProjectFiles,
    fixing: Fixing | None,
    workers: int | None,
    cache: Cache | None = None,
    *,
    on_progress: OnProgress | None,
) -> Run:
    """Link the files, and judge and fix each of them, but for what the cache knows."""
    from trainlint.engine.linker import Linker  # a run of which all is known needs none of this
    from trainlint.engine.pool.process_settings import settings_for_judging
    from trainlint.engine.pool.tasks import tell_nobody
    from trainlint.engine.workers import executor_for, judge_all, worker_count

    count = worker_count(jobs, workers, files.context if workers is None and files.may_hold_findings else ())
    on_progress = on_progress or tell_nobody
    with (
        settings_for_judging(),
        executor_for(
            count,
            jobs,
            workers,
            at_once=cache is None and count <= worker_count(jobs, workers),
            on_progress=on_progress,
        ) as executor,
    ):
        linker = Linker(jobs, files, executor, cache)
        jobs = linker.jobs
        if fixing is not None:
            outcomes = _written(jobs, _fixed(jobs, fixing, executor, linker), fixing)
        elif cache is None:
            outcomes = judge_all(jobs, None, executor)
        else:
            from trainlint.engine.cached_results import judge_changed

            outcomes = judge_changed(jobs, executor, cache)
    return replace(
        _gathered(jobs, outcomes, linker.failures),
        workers=count,
        context_files=linker.index.context_files,
        is_partial=linker.index.is_partial,
        may_train=linker.index.may_train,
        sought_modules=linker.index.sought_modules,
    )


def _fixed(jobs: Sequence[Job], fixing: Fixing, executor: Executor, linker: Linker | None) -> list[Outcome]:
    """What judging and fixing the files gives; nothing is written."""
    if linker is not None and fixing.is_settled_by_passes:
        from trainlint.engine.fix_passes import fixed_in_passes

        return fixed_in_passes(jobs, fixing, executor, linker.relinked)
    from trainlint.engine.workers import judge_all

    return judge_all(jobs, fixing, executor)


def _written(jobs: Sequence[Job], outcomes: list[Outcome], fixing: Fixing | None) -> list[Outcome]:
    """What stands when all fixed files are on disk, if they are to be."""
    if fixing is None or not fixing.write:
        return outcomes
    return [written(job, outcome) for job, outcome in zip(jobs, outcomes, strict=True)]


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

    `alone` is for a text whose place is not known: its project has no say then. The `cache` knows its context files.
    """
    from trainlint.engine.pool.process_settings import settings_for_judging

    texts = {absolute(path): source}
    with settings_for_judging():
        jobs, failures = _jobs_of_texts(texts, configurations)
        linker = None if alone else _linker_of_texts(texts, jobs, configurations, cache)
        jobs, not_executed = (linker.jobs, ()) if linker is not None else _executed_alone(texts, jobs)
        if fixing is None:
            outcomes = [do_text(source, job) for job in jobs]
        else:
            from trainlint.engine.pool.tasks import LocalExecutor

            outcomes = _fixed([replace(job, text=source) for job in jobs], fixing, LocalExecutor(), linker)
    if cache is not None:
        cache.save()
    found = _gathered(jobs, outcomes, [*failures, *(not_executed if linker is None else linker.failures)])
    return found if linker is None else replace(found, is_partial=linker.index.is_partial)


def jobs_for_texts(
    texts: Mapping[Path, SourceFile],
    configurations: Configurations,
    *,
    alone: bool = False,
    cache: Cache | None = None,
    memory: LinkMemory | None = None,
) -> tuple[list[Job], list[Failure]]:
    """What is to be judged of texts that count in place of what files hold, with what their projects say of them.

    The paths are absolute. `alone` as in `run_text`, `memory` as in `build_index`. Files that cannot be judged are
    among the failures.
    """
    jobs, failures = _jobs_of_texts(texts, configurations)
    if alone:
        executed, not_executed = _executed_alone(texts, jobs)
        return executed, [*failures, *not_executed]
    linker = _linker_of_texts(texts, jobs, configurations, cache, memory)
    return linker.jobs, [*failures, *linker.failures]


def _executed_alone(texts: Mapping[Path, SourceFile], jobs: Sequence[Job]) -> tuple[list[Job], Sequence[Failure]]:
    """The jobs with what each text executes without its project, and what a limit leaves out of that."""
    from trainlint.engine.index.executing import execute_files

    done = execute_files((), [replace(member, text=texts[member.path]) for member in _members(jobs)])
    executed = [
        replace(
            job,
            operations=done.operations.get(job.path, ()),
            frequencies=done.frequencies.get(job.path, NOTHING_EXECUTED),
        )
        for job in jobs
    ]
    return executed, done.failures


def _jobs_of_texts(texts: Mapping[Path, SourceFile], configurations: Configurations) -> tuple[list[Job], list[Failure]]:
    return _jobs([Target(path, source.path, len(source.text)) for path, source in texts.items()], configurations)


def _linker_of_texts(
    texts: Mapping[Path, SourceFile],
    jobs: Sequence[Job],
    configurations: Configurations,
    cache: Cache | None,
    memory: LinkMemory | None = None,
) -> Linker:
    from trainlint.engine.linker import Linker

    members = [replace(member, text=texts[member.path]) for member in _members(jobs)]
    files = ProjectFiles(members, configurations, listings=None if memory is None else memory.listings)
    return Linker(jobs, files, None, cache, memory)


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
    findings = _counted_in_cells([finding for outcome in outcomes for finding in outcome.findings])
    report = Report(
        findings=tuple(sorted(findings, key=lambda finding: finding.order)),
        failures=_in_order([*failures, *(failure for outcome in outcomes for failure in outcome.failures)]),
        files=sum(outcome.judged for outcome in outcomes),
        training=sum(outcome.judged and outcome.training for outcome in outcomes),
        in_step=sum(outcome.judged and outcome.in_step for outcome in outcomes),
        settings=sum(
            outcome.judged and is_settings(job.target.shown) for job, outcome in zip(jobs, outcomes, strict=True)
        ),
        suppressed=sum(outcome.suppressed for outcome in outcomes),
        fixed=sum(number for outcome in outcomes for _, number in outcome.fixed),
        fixed_rules=tuple(
            (job.target.shown, code, number)
            for job, outcome in zip(jobs, outcomes, strict=True)
            for code, number in outcome.fixed
        ),
        ignored=sum(outcome.ignored for outcome in outcomes),
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
        before=sum(outcome.before for outcome in outcomes),
    )


def _counted_in_cells(findings: list[Finding]) -> list[Finding]:
    """The findings, in which lines of notebooks that call their functions are counted in cells."""
    if not any(SUFFIX in text for each in findings for text in (*each.chain, *(place.path for place in each.related))):
        return findings
    from trainlint.engine.calling_notebooks import CallingNotebooks  # few projects have notebooks

    return list(map(CallingNotebooks().finding, findings))


def _in_order(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    return tuple(sorted(failures, key=lambda failure: (failure.path, failure.rule or "", failure.reason)))
