"""Many files over several processes. A worker that dies costs no other file its judgement."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from trainlint.engine.work import Fixing, Job, Outcome, do
from trainlint.finding import Failure

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

WORTH_A_WORKER = 500_000
"""Bytes of source. Judging less takes no longer than starting another process and feeding it."""

_MOST_WORKERS = 16
_LARGEST_CHUNK = 200_000


def worker_count(jobs: Sequence[Job], wanted: int | None) -> int:
    """How many processes to use: as many as wanted, or else as many as pay."""
    if wanted is not None:
        return max(1, min(wanted, len(jobs)))
    size = sum(job.target.size for job in jobs)
    return max(1, min(_processors(), _MOST_WORKERS, size // WORTH_A_WORKER))


def do_all(jobs: Sequence[Job], fixing: Fixing | None) -> list[Outcome]:
    """Do the jobs one after the other."""
    return [do(job, fixing) for job in jobs]


def spread(jobs: Sequence[Job], fixing: Fixing | None, workers: int) -> list[Outcome]:
    """Do the jobs in `workers` processes; the outcomes stand in the order of the jobs."""
    return across(jobs, partial(do, fixing=fixing), _size_of_job, _lost, workers)


def _size_of_job(job: Job) -> int:
    return job.target.size


def _lost(job: Job, error: BaseException) -> Outcome:
    reason = f"the process that judged it died ({error}); please report this, and exclude the file meanwhile"
    return Outcome(failures=(Failure(job.target.shown, reason),), judged=False)


def across(
    tasks: Sequence[_Task],
    work: Callable[[_Task], _Result],
    size: Callable[[_Task], int],
    lost: Callable[[_Task, BaseException], _Result],
    workers: int,
) -> list[_Result]:
    """Work on tasks in several processes; the results stand in the order of the tasks.

    `work` must be picklable. `lost` says what comes of a task whose process died, also when it was tried again alone.
    """
    chunks = list(_chunks(tasks, size, workers))
    try:
        pool = _pool(min(workers, len(chunks)))
    except (ImportError, NotImplementedError, OSError):
        # Some systems have no semaphores, and so no process pools.
        return _all(work, tasks)
    done: dict[int, list[_Result]] = {}
    try:
        futures = {pool.submit(_all, work, chunk): index for index, chunk in enumerate(chunks)}
        for future, index in futures.items():
            if future.exception() is None:
                done[index] = future.result()
    except RuntimeError:
        # The pool broke while it was fed: what it did not get is done below.
        pass
    finally:
        pool.shutdown(cancel_futures=True)
    missing = [task for index, chunk in enumerate(chunks) if index not in done for task in chunk]
    again = iter(_one_by_one(missing, work, lost))
    return [
        result
        for index, chunk in enumerate(chunks)
        for result in (done[index] if index in done else [next(again) for _ in chunk])
    ]


def _all(work: Callable[[_Task], _Result], tasks: Sequence[_Task]) -> list[_Result]:
    return [work(task) for task in tasks]


def _one_by_one(
    tasks: Sequence[_Task], work: Callable[[_Task], _Result], lost: Callable[[_Task, BaseException], _Result]
) -> Iterator[_Result]:
    """Try tasks again whose worker died, each so that only the guilty one is lost."""
    pool: ProcessPoolExecutor | None = None
    try:
        for task in tasks:
            pool = pool or _pool(1)
            future = pool.submit(work, task)
            error = future.exception()
            if error is None:
                yield future.result()
            else:
                pool.shutdown(cancel_futures=True)
                pool = None
                yield lost(task, error)
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)


def _chunks(tasks: Sequence[_Task], size: Callable[[_Task], int], workers: int) -> Iterator[list[_Task]]:
    """Neighbouring tasks together, of about the same size, several chunks to a worker."""
    limit = min(_LARGEST_CHUNK, sum(map(size, tasks)) // (4 * workers) + 1)
    chunk: list[_Task] = []
    filled = 0
    for task in tasks:
        chunk.append(task)
        filled += size(task)
        if filled >= limit:
            yield chunk
            chunk, filled = [], 0
    if chunk:
        yield chunk


def _pool(workers: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(workers, initializer=_start_worker)


def _start_worker() -> None:
    """Let Ctrl-C end a worker at once and without a word: the main process speaks for all."""
    import signal
    import warnings

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    warnings.simplefilter("ignore")


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
