"""Jobs over processes: nothing is lost, nothing changes its place."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.config import Config
from trainlint.engine.configurations import Selection
from trainlint.engine.discover import Target
from trainlint.engine.work import Job
from trainlint.engine.workers import WORTH_A_WORKER, _chunks, _size_of_job, do_all, spread, worker_count

NOTHING = Selection(Config(), (), ())


def jobs_of(sizes: Sequence[int]) -> list[Job]:
    return [Job(Target(Path(f"/x/{index}.py"), f"{index}.py", size), (), NOTHING) for index, size in enumerate(sizes)]


@given(st.lists(st.integers(0, 2_000_000), min_size=1, max_size=60), st.integers(1, 8))
def test_chunks_hold_every_job_once_and_in_order(sizes: list[int], workers: int) -> None:
    jobs = jobs_of(sizes)
    chunks = list(_chunks(jobs, _size_of_job, workers))
    assert [job for chunk in chunks for job in chunk] == jobs
    assert all(chunks)


def test_processes_are_used_where_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainlint.engine.workers._processors", lambda: 4)
    assert worker_count(jobs_of([100] * 50), None) == 1
    assert worker_count(jobs_of([WORTH_A_WORKER] * 2), None) == 2
    assert worker_count(jobs_of([WORTH_A_WORKER] * 50), None) == 4
    assert worker_count(jobs_of([100] * 50), 3) == 3
    assert worker_count(jobs_of([100]), 3) == 1
    assert worker_count([], None) == worker_count([], 3) == 1


def test_outcomes_stand_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    paths = [tmp_path / f"{index}.py" for index in range(12)]
    for index, path in enumerate(paths):
        if index % 3:
            path.write_text("import json\n" * index)
    jobs = [Job(Target(path, path.name, 1000 * index), (), NOTHING) for index, path in enumerate(paths)]
    spread_out = spread(jobs, None, 3)
    assert spread_out == do_all(jobs, None)
    assert [bool(outcome.failures) for outcome in spread_out] == [index % 3 == 0 for index in range(12)]


def test_a_system_without_process_pools_does_the_jobs_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError("no semaphores here")

    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", refuse)
    outcomes = spread(jobs_of([1, 1]), None, 2)
    assert ["no such file" in outcome.failures[0].reason for outcome in outcomes] == [True, True]
