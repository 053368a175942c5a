"""Tasks over processes: nothing is lost, nothing changes its place, and whatever a process dies of costs one task."""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.config import Config
from trainlint.engine.configurations import Selection
from trainlint.engine.discover import Target
from trainlint.engine.pool.model_store import ModelStore
from trainlint.engine.pool.process_settings import settings_for_judging
from trainlint.engine.pool.task_queue import TaskQueue
from trainlint.engine.pool.tasks import LocalExecutor, TaskKind
from trainlint.engine.pool.worker_pool import WorkerPool
from trainlint.engine.time_limit import time_limit
from trainlint.engine.work import Job
from trainlint.engine.workers import WORTH_A_WORKER, judge_all, worker_count

NOTHING = Selection(Config(), (), ())


@dataclass(frozen=True)
class Word:
    """A task on a file that needs not be there: what is to be done stands in its name."""

    name: str
    size: int = 1

    @property
    def path(self) -> Path:
        return Path(self.name)


def read(word: Word, store: ModelStore) -> str:
    match word.name.partition(" ")[0]:
        case "exit":
            os._exit(3)
        case "abort":
            faulthandler.disable()
            os.abort()
        case "fault":
            faulthandler.disable()  # pytest's would print where
            os.kill(os.getpid(), signal.SIGSEGV)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "devour":
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + 100_000_000,) * 2)
            bytearray(1_000_000_000)
        case "raise":
            raise RecursionError("too deep")
        case "function":
            return lambda: word  # type: ignore[return-value]  # no pickle can hold it
    return word.name.upper()


def lost(word: Word, how: str) -> str:
    return f"{word.name}: {how}"


READ = TaskKind(read, lost)


def words_of(text: str) -> list[Word]:
    return [Word(name, len(name)) for name in text.split(",")]


def jobs_of(sizes: Sequence[int]) -> list[Job]:
    return [Job(Target(Path(f"/x/{index}.py"), f"{index}.py", size), (), NOTHING) for index, size in enumerate(sizes)]


@given(
    st.lists(st.tuples(st.integers(0, 2_000_000), st.sampled_from([None, 0, 1, 2])), max_size=60),
    st.lists(st.integers(0, 2)),
)
def test_each_task_is_handed_out_once_whoever_asks(files: list[tuple[int, int | None]], turns: list[int]) -> None:
    tasks = [Word(str(index), size) for index, (size, _) in enumerate(files)]
    owners = {Path(str(index)): owner for index, (_, owner) in enumerate(files) if owner is not None}
    queue = TaskQueue(tasks, owners, 3)
    handed = [task for worker in (*turns, *[1] * len(tasks)) for task in queue.take(worker)]
    assert sorted(handed) == list(range(len(tasks)))


def test_a_worker_gets_its_own_files_before_others() -> None:
    tasks = [Word(name, 100) for name in "abcdef"]
    queue = TaskQueue(tasks, {Path("a"): 0, Path("b"): 1, Path("c"): 0, Path("d"): 1}, 2)
    assert [tasks[index].name for _ in tasks for index in queue.take(1)] == ["b", "d", "e", "f", "c", "a"]


def test_processes_are_used_where_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainlint.engine.workers._processors", lambda: 4)
    assert worker_count(jobs_of([100] * 50), None) == 1
    assert worker_count(jobs_of([WORTH_A_WORKER] * 2), None) == 2
    assert worker_count(jobs_of([WORTH_A_WORKER] * 50), None) == 4
    assert worker_count(jobs_of([100] * 50), 3) == 3
    assert worker_count(jobs_of([100]), 3) == 1
    assert worker_count([], None) == worker_count([], 3) == 1


def test_results_stand_in_the_order_of_the_tasks_also_when_there_are_more_orders() -> None:
    words = words_of("b,aaa,cc,,dddd,e") * 50
    with WorkerPool(3) as pool:
        for _ in range(3):
            assert pool.run_tasks(READ, words) == LocalExecutor().run_tasks(READ, words)
        assert pool.run_tasks(READ, []) == []


def keep(word: Word, store: ModelStore) -> int:
    store.put(word.path, word.name, 1)  # type: ignore[arg-type]  # a store does not look at what it holds
    return os.getpid()


def take(word: Word, store: ModelStore) -> tuple[int, object]:
    return os.getpid(), store.take(word.path)


def nobody(word: Word, how: str) -> int:
    raise AssertionError(how)


def nothing(word: Word, how: str) -> tuple[int, object]:
    raise AssertionError(how)


def test_a_process_finds_what_it_kept_of_a_file() -> None:
    words = [Word(f"file{index}") for index in range(8)]
    with WorkerPool(2) as pool:
        kept_by = pool.run_tasks(TaskKind(keep, nobody), words)
        found = pool.run_tasks(TaskKind(take, nothing), words)
    assert os.getpid() not in kept_by
    for word, keeper, (taker, kept) in zip(words, kept_by, found, strict=True):
        assert kept == (word.name if taker == keeper else None)
    assert any(kept for _, kept in found)


@pytest.mark.parametrize(
    ("death", "how"),
    [
        ("exit", "died (exit code 3)"),
        ("abort", "died (Aborted)"),
        ("fault", "died (Segmentation fault)"),
        ("kill", "died (Killed)"),
        ("devour", "MemoryError"),
        ("raise", "RecursionError: too deep"),
        ("function", "pickle"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other words for signals")
def test_whatever_a_task_dies_of_it_dies_alone(death: str, how: str) -> None:
    words = words_of(f"a,bb,ccc,{death},dddd,eeeee,ffffff,{death} again") * 2
    with WorkerPool(2) as pool:
        results = pool.run_tasks(READ, words)
        assert pool.run_tasks(READ, words_of("still,here")) == ["STILL", "HERE"]
    for word, result in zip(words, results, strict=True):
        if word.name.startswith(death):
            assert how in result
        else:
            assert result == word.name.upper()


def die_once(word: Word, store: ModelStore, marks: Path) -> str:
    mark = marks / word.name
    if word.name == "unlucky" and not mark.exists():
        mark.touch()
        os._exit(1)
    return word.name


def test_a_task_gets_a_second_chance(tmp_path: Path) -> None:
    with WorkerPool(2) as pool:
        kind = TaskKind(partial(die_once, marks=tmp_path), lost)
        assert pool.run_tasks(kind, words_of("a,unlucky,b")) == ["a", "unlucky", "b"]


def stay_in_native_code(word: Word, store: ModelStore) -> str:
    with time_limit(0.05):
        # Until it has the sum, Python does not look at its signals.
        return str(sum(range(10**10)))


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="this system has no timers")
def test_native_code_that_does_not_come_back_is_ended() -> None:
    with WorkerPool(2) as pool:
        (result,) = pool.run_tasks(TaskKind(stay_in_native_code, lost), [Word("power")])
    assert "longer than `file-time-limit`" in result


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def number_of_process(word: Word, store: ModelStore) -> str:
    return str(os.getpid())


def test_processes_are_gone_whatever_ends_the_work() -> None:
    processes: list[int] = []

    def work_until_it_crashes() -> None:
        with WorkerPool(2) as pool:
            processes.extend(map(int, pool.run_tasks(TaskKind(number_of_process, lost), words_of("a,b,c,d"))))
            raise LookupError

    with pytest.raises(LookupError):
        work_until_it_crashes()
    assert all(map(gone, processes))


def outlive(pipe: int) -> None:
    """The main process of a pool that is killed without warning."""
    with WorkerPool(2) as pool:
        found = pool.run_tasks(TaskKind(number_of_process, lost), words_of("a,b,c,d"))
        os.write(pipe, ",".join(sorted(set(found))).encode())
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_processes_do_not_outlive_a_main_process_that_is_killed() -> None:
    ours, theirs = os.pipe()
    main = os.fork()
    if not main:
        try:
            outlive(theirs)
        finally:
            os._exit(1)
    os.waitpid(main, 0)
    os.close(theirs)
    workers = [int(number) for number in os.read(ours, 1000).decode().split(",")]
    os.close(ours)
    deadline = time.monotonic() + 120
    while not all(map(gone, workers)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert all(map(gone, workers))


def test_little_work_starts_no_process() -> None:
    with WorkerPool(2, least=100) as pool:
        kept_by = pool.run_tasks(TaskKind(keep, nobody), words_of("a,b"))
        assert set(kept_by) == {os.getpid()}
        assert pool.run_tasks(TaskKind(take, nothing), words_of("a,b")) == [(os.getpid(), "a"), (os.getpid(), "b")]
        large = [Word("c", 60), Word("d", 60)]
        assert os.getpid() not in pool.run_tasks(TaskKind(keep, nobody), large)


def prepare(mark: Path) -> None:
    (mark / str(os.getpid())).touch()


def test_processes_that_start_at_once_prepare_before_there_is_work(tmp_path: Path) -> None:
    with WorkerPool(2, partial(prepare, tmp_path), at_once=True) as pool:
        deadline = time.monotonic() + 120
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        prepared = {int(path.name) for path in tmp_path.iterdir()}
        assert set(pool.run_tasks(TaskKind(keep, nobody), [Word(name) for name in "abcd"])) <= prepared


def look(word: Word, store: ModelStore) -> tuple[int, int]:
    return os.getpid(), gc.get_threshold()[0]


def ordinary(word: Word, how: str) -> tuple[int, int]:
    raise AssertionError(how)


def test_processes_that_inherit_nothing_are_set_up_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing, "get_context", lambda *names: multiprocessing.context.SpawnContext())
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    with settings_for_judging():
        here = gc.get_threshold()[0]
    with WorkerPool(2) as pool:
        found = pool.run_tasks(TaskKind(look, ordinary), words_of("a,b,c"))
    assert os.getpid() not in {process for process, _ in found}
    assert {threshold for _, threshold in found} == {here}
    assert here > gc.get_threshold()[0]


def test_a_system_without_processes_does_the_tasks_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr("trainlint.engine.pool.worker_pool._new_worker", refuse)
    with WorkerPool(2) as pool:
        outcomes = judge_all(jobs_of([1, 1]), None, pool)
    assert ["no such file" in outcome.failures[0].reason for outcome in outcomes] == [True, True]


def test_what_judging_made_is_not_searched_for_cycles_as_it_ends() -> None:
    searches: list[str] = []

    def note(phase: str, _: object) -> None:
        searches.append(phase)

    gc.collect()
    gc.callbacks.append(note)
    try:
        with settings_for_judging():
            made: list[list[int]] = [[] for _ in range(200_000)]
        made += [[], []]
    finally:
        gc.callbacks.remove(note)
    assert not searches
