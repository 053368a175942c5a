"""A pool of worker processes that lives as long as a run. A process that dies costs only the task it died of."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from trainlint.engine.pool.model_store import MOST_KEPT
from trainlint.engine.pool.task_queue import TaskQueue
from trainlint.engine.pool.tasks import LocalExecutor, OnFile, OnProgress, TaskKind, tell_nobody
from trainlint.engine.pool.worker_process import ENDING, serve
from trainlint.engine.time_limit import was_out_of_time
from trainlint.import_path import environment_for_workers

if TYPE_CHECKING:
    import ast
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

    from trainlint.source import SourceFile

_Task = TypeVar("_Task", bound=OnFile)
_Result = TypeVar("_Result")


def _no_preparation() -> None:
    """The default preparation of a worker."""


class WorkerPool:
    """Several processes, started when there is work and ended when the `with` block is left, whatever ends it."""

    def __init__(
        self,
        size: int,
        prepare: Callable[[], None] = _no_preparation,
        *,
        least: int = 0,
        at_once: bool = False,
        kept: int = MOST_KEPT,
        on_progress: OnProgress = tell_nobody,
    ) -> None:
        """`size` is how many processes there are at most. Each begins with `prepare`, which must be picklable.

        They are started `at_once`, or else when there is work of at least so many bytes; less is done by this process.
        All of them together keep the models of `kept` bytes of source.
        """
        self._size = size
        self._prepare = prepare
        self._least = least
        self._at_once = at_once
        self._kept = kept
        self.on_progress = on_progress
        self._here = LocalExecutor(kept, on_progress)
        self._workers: dict[int, _Worker] = {}
        self._number_of: dict[Path, int] = {}
        self._terminated: Any = None

    def __enter__(self) -> WorkerPool:
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            with suppress(ValueError):  # only the main thread may say what signals do
                self._terminated = signal.signal(signal.SIGTERM, self._terminate)
        if self._at_once:
            self._start(range(self._size))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with _undisturbed():
            self._kill_all()
            if self._terminated is not None:
                signal.signal(signal.SIGTERM, self._terminated)

    @property
    def trees(self) -> Mapping[SourceFile, ast.Module]:
        """Those of files that this process itself has read: others keep theirs."""
        return self._here.trees

    def run_tasks(self, kind: TaskKind[_Task, _Result], tasks: Sequence[_Task]) -> list[_Result]:
        """The results of the tasks, in their order. Where no process can be started, this one runs them."""
        if not self._workers and sum(task.size for task in tasks) < self._least:
            return self._here.run_tasks(kind, tasks)
        queue = TaskQueue(tasks, self._number_of, self._size)
        results: dict[int, _Result] = {}
        self._start(range(min(self._size, len(queue))))
        while True:
            for number, worker in self._workers.items():
                if not worker.pending_tasks and (chunk := queue.take(number)):
                    self._number_of |= {tasks[index].path: number for index in chunk}
                    worker.send_tasks(kind.work, chunk, tasks)
            busy = [worker for worker in self._workers.values() if worker.pending_tasks]
            if not busy:
                break
            for worker in _answering(busy):
                answer = worker.receive_result()
                if answer is None:
                    self._replace(worker, kind, tasks, queue, results)
                    continue
                index = worker.pending_tasks.popleft()
                worked, value = answer
                results[index] = value if worked else kind.crash_result(tasks[index], value)
                self.on_progress(kind.progress_label, len(results), len(tasks))
        return [
            results[index] if index in results else self._here.run_tasks(kind, [task])[0]
            for index, task in enumerate(tasks)
        ]

    def _replace(
        self,
        dead: _Worker,
        kind: TaskKind[_Task, _Result],
        tasks: Sequence[_Task],
        queue: TaskQueue,
        results: dict[int, _Result],
    ) -> None:
        """Put a new process in the place of a dead one, and try again there what it died of."""
        del self._workers[dead.number]
        how = dead.wait_for_end()
        suspect = dead.pending_tasks.popleft()
        queue.give_back(dead.number, dead.pending_tasks)
        self._start([dead.number])
        new = self._workers.get(dead.number)
        if new is None or dead.second_try or how == _OUT_OF_TIME:
            results[suspect] = kind.crash_result(tasks[suspect], how)
        else:
            # By itself and with an empty model store: other files may have used up the memory.
            new.send_tasks(kind.work, [suspect], tasks, second_try=True)

    def _start(self, numbers: Iterable[int]) -> None:
        """Start the processes with these numbers that do not run yet, as far as the system allows."""
        kept = self._kept // self._size
        with suppress(ImportError, NotImplementedError, OSError), _undisturbed():
            for number in numbers:
                if number not in self._workers:
                    pipes = [worker.pipe for worker in self._workers.values()]
                    self._workers[number] = _new_worker(number, pipes, kept, self._prepare)

    def _kill_all(self) -> None:
        """Kill all processes at once. Nobody waits for an answer of theirs any more."""
        workers = list(self._workers.values())
        self._workers.clear()
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.wait_for_end()

    def _terminate(self, number: int, frame: FrameType | None) -> None:
        """End as SIGTERM ends a program, after the workers are killed."""
        self._kill_all()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)


_OUT_OF_TIME = "it took longer than `file-time-limit` allows, and did not come back to be stopped"


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker process and its pipe, as the main process knows them."""

    number: int
    process: BaseProcess
    pipe: Connection
    pending_tasks: deque[int] = field(default_factory=deque)
    """The tasks that it has not answered yet, in the order in which it runs them."""
    second_try: bool = False

    def send_tasks(
        self, work: Callable[..., object], chunk: Sequence[int], tasks: Sequence[object], *, second_try: bool = False
    ) -> None:
        """Send it tasks. Whether it is still alive shows when it is to answer."""
        self.pending_tasks = deque(chunk)
        self.second_try = second_try
        with suppress(OSError):
            self.pipe.send_bytes(pickle.dumps((work, [tasks[index] for index in chunk]), pickle.HIGHEST_PROTOCOL))

    def receive_result(self) -> tuple[bool, Any] | None:
        """Whether the first of its tasks worked, and the result or the reason; None where it died instead."""
        try:
            found: tuple[bool, Any] = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return found

    def wait_for_end(self) -> str:
        """Wait until the process has ended, and say how it ended."""
        self.process.join()
        code = self.process.exitcode
        self.pipe.close()
        if was_out_of_time(code):
            return _OUT_OF_TIME
        if code is not None and code < 0:
            return f"the process that worked on it died ({signal.strsignal(-code) or f'signal {-code}'})"
        return f"the process that worked on it died (exit code {code})"


def _new_worker(number: int, pipes: Sequence[Connection], kept: int, prepare: Callable[[], None]) -> _Worker:
    from multiprocessing import get_context

    # Forking takes milliseconds, and everything is imported already. It is safe here as long as there is one thread.
    fork = sys.platform == "linux" and threading.active_count() == 1
    if not fork and sys.version_info < (3, 11):
        raise NotImplementedError("a Python that is started anew would look for modules in the working directory")
    context: BaseContext = get_context("fork" if fork else "spawn")
    ours, theirs = context.Pipe()
    inherited = (*pipes, ours) if fork else ()
    process = context.Process(target=serve, args=(theirs, inherited, kept, prepare), daemon=True)  # type: ignore[attr-defined]
    with nullcontext() if fork else _variables(environment_for_workers()):
        process.start()
    theirs.close()
    return _Worker(number, process, ours)


@contextmanager
def _variables(changed: Mapping[str, str]) -> Iterator[None]:
    """Change environment variables while a process is started."""
    before = dict(os.environ)
    os.environ.update(changed)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _answering(workers: Sequence[_Worker]) -> Iterator[_Worker]:
    """Those that have an answer, or have died."""
    from multiprocessing.connection import wait

    ready = set(wait([worker.pipe for worker in workers]))
    return (worker for worker in workers if worker.pipe in ready)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold back signals that end the program: one at this moment would leave a process behind that is not yet known."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
