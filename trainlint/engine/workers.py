"""Many files over several processes. A worker that dies costs no other file its judgement."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trainlint.engine.work import Fixing, Job, Outcome, do
from trainlint.finding import Failure

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

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
    chunks = list(_chunks(jobs, workers))
    try:
        pool = _pool(min(workers, len(chunks)))
    except (ImportError, NotImplementedError, OSError):
        # Some systems have no semaphores, and so no process pools.
        return do_all(jobs, fixing)
    done: dict[int, list[Outcome]] = {}
    try:
        futures = {pool.submit(do_all, chunk, fixing): index for index, chunk in enumerate(chunks)}
        for future, index in futures.items():
            if future.exception() is None:
                done[index] = future.result()
    except RuntimeError:
        # The pool broke while it was fed: what it did not get is done below.
        pass
    finally:
        pool.shutdown(cancel_futures=True)
    lost = [job for index, chunk in enumerate(chunks) if index not in done for job in chunk]
    again = iter(_one_by_one(lost, fixing))
    return [
        outcome
        for index, chunk in enumerate(chunks)
        for outcome in (done[index] if index in done else [next(again) for _ in chunk])
    ]


def _one_by_one(jobs: Sequence[Job], fixing: Fixing | None) -> Iterator[Outcome]:
    """Do jobs again whose worker died, each so that only the guilty file is lost."""
    pool: ProcessPoolExecutor | None = None
    try:
        for job in jobs:
            pool = pool or _pool(1)
            future = pool.submit(do, job, fixing)
            error = future.exception()
            if error is None:
                yield future.result()
            else:
                pool.shutdown(cancel_futures=True)
                pool = None
                reason = (
                    f"the process that judged it died ({error}); please report this, and exclude the file meanwhile"
                )
                yield Outcome(failures=(Failure(job.target.shown, reason),), judged=False)
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)


def _chunks(jobs: Sequence[Job], workers: int) -> Iterator[list[Job]]:
    """Neighbouring jobs together, of about the same size, several chunks to a worker."""
    limit = min(_LARGEST_CHUNK, sum(job.target.size for job in jobs) // (4 * workers) + 1)
    chunk: list[Job] = []
    size = 0
    for job in jobs:
        chunk.append(job)
        size += job.target.size
        if size >= limit:
            yield chunk
            chunk, size = [], 0
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
