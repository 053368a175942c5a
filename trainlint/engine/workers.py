"""How many processes a run pays for, and what they do for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from trainlint.engine.shelf import bound_for
from trainlint.engine.tasks import Alone, Doer, OnFile, Order
from trainlint.engine.work import Fixing, Job, Outcome, do
from trainlint.finding import Failure

if TYPE_CHECKING:
    from trainlint.declared import Bound
    from trainlint.engine.shelf import Shelf

WORTH_A_WORKER = 500_000
"""Bytes of source. From about 400,000 on two processes are done sooner than one, but each takes half a second of
processor time to import what it needs; at twice this they save as much time as they cost."""

_MOST_WORKERS = 16


def worker_count(jobs: Sequence[OnFile], wanted: int | None) -> int:
    """How many processes to use: as many as wanted, or else as many as pay."""
    if wanted is not None:
        return max(1, min(wanted, len(jobs)))
    return max(1, min(_processors(), _MOST_WORKERS, sum(job.size for job in jobs) // WORTH_A_WORKER))


def doer(count: int, jobs: Sequence[Job], wanted: int | None = None, *, at_once: bool) -> AbstractContextManager[Doer]:
    """So many processes, or this one alone.

    Unless the processes are `wanted`, little work is done without them, as when a cache knows most. They start
    `at_once` where all is to be done: they then import what they need while files are still put together.
    """
    kept = bound_for(sum(job.size for job in jobs))
    if count < 2:
        return nullcontext(Alone(kept))
    from trainlint.engine.crew import Crew

    least = 0 if wanted else WORTH_A_WORKER
    return Crew(count, partial(_prepare, jobs[0].rules), least=least, at_once=at_once, kept=kept)


def _prepare(rules: Sequence[Bound]) -> None:
    import trainlint.analysis.project.summarise  # noqa: F401

    for rule in rules:
        with suppress(Exception):  # judging will say what is wrong with it
            rule.loaded()


def judged(jobs: Sequence[Job], fixing: Fixing | None, doer: Doer) -> list[Outcome]:
    """Do the jobs; the outcomes stand in their order."""
    return doer.do(Order(partial(_judge, fixing=fixing), _lost), jobs)


def _judge(job: Job, shelf: Shelf, fixing: Fixing | None) -> Outcome:
    return do(job, fixing, shelf.take(job.path), shelf.remains(job.path))


def _lost(job: Job, how: str) -> Outcome:
    reason = f"{how}; please report this, and exclude the file meanwhile"
    return Outcome(failures=(Failure(job.target.shown, reason),), judged=False)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
