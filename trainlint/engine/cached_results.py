"""Results of earlier runs: whole runs, and the outcomes of single files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainlint.engine.cache_keys import key_of_outcome
from trainlint.engine.work import Job, Outcome
from trainlint.finding import Report
from trainlint.project import module_lies_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.engine.pool.tasks import Executor


@dataclass(frozen=True, slots=True)
class WholeRun:
    """The result of a run, as it is kept."""

    report: Report
    failing: bool
    context_files: int
    is_partial: bool
    may_train: bool
    sought_modules: Mapping[tuple[str, str], bool]
    """Directory and module that was looked for in it → whether it was there. No file of the run says so."""


def known_run(key: bytes | None, cache: Cache) -> WholeRun | None:
    """The run with this key, if it was kept, and the modules that it looked for are still there, or not there."""
    found = cache.get({"run": key}).get("run")
    known = found if isinstance(found, WholeRun) and _modules_unchanged(found) else None
    cache.recalled.whole = known is not None
    return known


def _modules_unchanged(run: WholeRun) -> bool:
    return all(module_lies_in(*sought) is is_there for sought, is_there in run.sought_modules.items())


def keep_run(key: bytes | None, run: WholeRun, cache: Cache) -> None:
    """Keep a run unless something went wrong in it that may go well another time."""
    if all(failure.lasting for failure in run.report.failures):
        cache.keep(key, run)


def judge_changed(jobs: Sequence[Job], executor: Executor, cache: Cache) -> list[Outcome]:
    """The outcome of each job. Files are not judged again where neither they nor their imported facts changed."""
    from trainlint.engine.workers import judge_all

    keys = {job.path: key_of_outcome(job, cache) for job in jobs}
    known = {path: found for path, found in cache.get(keys).items() if isinstance(found, Outcome)}
    new = [job for job in jobs if job.path not in known]
    cache.recalled.outcomes = (len(known), len(jobs))
    cache.rest()
    for job, outcome in zip(new, judge_all(new, None, executor), strict=True):
        known[job.path] = outcome
        # What went wrong may go well another time.
        if all(failure.lasting for failure in outcome.failures):
            cache.keep(keys[job.path], outcome, job.path)
    return [known[job.path] for job in jobs]
