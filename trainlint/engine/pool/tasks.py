"""Tasks about files, and what runs them: this process alone, or a pool of processes (`worker_pool.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from trainlint.engine.pool.model_store import MOST_KEPT, ModelStore

if TYPE_CHECKING:
    import ast

    from trainlint.source import SourceFile

OnProgress = Callable[[str, int, int], None]
"""Is told what is being done, how many tasks of it are done, and how many there are."""


def tell_nobody(doing: str, done: int, of: int) -> None:
    """Where no progress is shown."""


class OnFile(Protocol):
    """A task about one file."""

    @property
    def path(self) -> Path:
        """The file. Later tasks about it go to the process that ran the first one, if that process is free."""

    @property
    def size(self) -> int:
        """In bytes: how much work it is."""


_Task = TypeVar("_Task", bound=OnFile)
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class TaskKind(Generic[_Task, _Result]):
    """A function that runs tasks of one kind, and what stands for the result of a task that killed its process."""

    work: Callable[[_Task, ModelStore], _Result]
    """Picklable. The store holds the models that this process kept from tasks of earlier kinds."""
    crash_result: Callable[[_Task, str], _Result]
    """The result of a task that raised something or ended its process twice; the sentence says what or how."""
    progress_label: str = ""
    """For people who wait: what these tasks do, as in "judging files"."""


class Executor(Protocol):
    """Runs tasks."""

    on_progress: OnProgress
    """Is told after each task."""

    @property
    def trees(self) -> Mapping[SourceFile, ast.Module]:
        """The trees of files whose models are kept in this process, by their texts."""

    def run_tasks(self, kind: TaskKind[_Task, _Result], tasks: Sequence[_Task]) -> list[_Result]:
        """The results of the tasks, in their order."""


class LocalExecutor:
    """Runs all tasks in this process."""

    def __init__(self, kept: int = MOST_KEPT, on_progress: OnProgress = tell_nobody) -> None:
        """`kept` is the bound of its model store, in bytes of source."""
        self.on_progress = on_progress
        self._store = ModelStore(kept)

    @property
    def trees(self) -> Mapping[SourceFile, ast.Module]:
        """Those of all files whose models are kept."""
        return self._store.trees

    def run_tasks(self, kind: TaskKind[_Task, _Result], tasks: Sequence[_Task]) -> list[_Result]:
        """The results of the tasks, in their order."""
        results: list[_Result] = []
        for task in tasks:
            results.append(self._run_task(kind, task))
            self.on_progress(kind.progress_label, len(results), len(tasks))
        return results

    def _run_task(self, kind: TaskKind[_Task, _Result], task: _Task) -> _Result:
        try:
            return kind.work(task, self._store)
        except Exception as error:  # noqa: BLE001  # as in a worker process, a crash costs only its own task
            return kind.crash_result(task, f"{type(error).__name__}: {error}")
