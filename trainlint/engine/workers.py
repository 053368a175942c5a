"""How many processes a run uses, and how jobs are judged in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from trainlint.engine.pool.model_store import bound_for
from trainlint.engine.pool.tasks import Executor, LocalExecutor, OnFile, OnProgress, TaskKind, tell_nobody
from trainlint.engine.work import Job, Outcome, judge_and_fix
from trainlint.finding import Failure

if TYPE_CHECKING:
    from trainlint.engine.discover import Target
    from trainlint.engine.pool.model_store import ModelStore
    from trainlint.engine.rewriting import Fixing

WORTH_A_WORKER = 500_000
"""Bytes of source. From about 400,000 on two processes are done sooner than one, but each takes half a second of
processor time to import what it needs; at twice this they save as much time as they cost."""

_MOST_WORKERS = 16


def worker_count(jobs: Sequence[OnFile], wanted: int | None, context: Iterable[Target] = ()) -> int:
    """How many processes to use: as many as `wanted`, else as many as shorten the run.

    The `context` files may be linked with those of the jobs, which is most of the work where few files are named.
    """
    if wanted is not None:
        return max(1, min(wanted, len(jobs)))
    return max(1, min(_processors(), _MOST_WORKERS, sum(each.size for each in (*jobs, *context)) // WORTH_A_WORKER))


def executor_for(
    count: int, jobs: Sequence[Job], wanted: int | None = None, *, at_once: bool, on_progress: OnProgress = tell_nobody
) -> AbstractContextManager[Executor]:
    """A pool of `count` processes; this process alone where that is one.

    Unless the user `wanted` processes, little work is done without them, as when a cache knows most results. They
    start `at_once` where everything is to be judged: they then import modules while this process still lists files.
    """
    kept = bound_for(sum(job.size for job in jobs))
    if count < 2:
        return nullcontext(LocalExecutor(kept, on_progress))
    from trainlint.engine.pool.worker_pool import WorkerPool

    least = 0 if wanted else WORTH_A_WORKER
    return WorkerPool(count, _prepare, least=least, at_once=at_once, kept=kept, on_progress=on_progress)


def _prepare() -> None:
    """Import what each file needs. Rules are imported when a place turns up: most runs need a third of them."""
    import trainlint.analysis.project.summarise  # noqa: F401


def judge_all(jobs: Sequence[Job], fixing: Fixing | None, executor: Executor) -> list[Outcome]:
    """The outcomes of jobs, in their order."""
    return executor.run_tasks(TaskKind(partial(_judge, fixing=fixing), _crashed_job, "judging files"), jobs)


def _judge(job: Job, store: ModelStore, fixing: Fixing | None) -> Outcome:
    return judge_and_fix(job, fixing, store.take(job.path), store.remains(job.path))


def _crashed_job(job: Job, how: str) -> Outcome:
    reason = f"{how}; please report this, and exclude the file meanwhile"
    return Outcome(failures=(Failure(job.target.shown, reason),), judged=False)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
