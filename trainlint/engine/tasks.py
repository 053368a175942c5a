"""Tasks that are about files, and who does them: this process alone, or a crew of several (engine/crew.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from trainlint.engine.shelf import MOST_KEPT, Shelf
from trainlint.records import dataclass


class OnFile(Protocol):
    """A task that is about a file."""

    @property
    def path(self) -> Path:
        """The file. Of several tasks about it, one after the other, the same process does each if it has the time."""

    @property
    def size(self) -> int:
        """In bytes: how much work it is."""


_Task = TypeVar("_Task", bound=OnFile)
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Order(Generic[_Task, _Result]):
    """What is to be done with each of many tasks."""

    work: Callable[[_Task, Shelf], _Result]
    """Picklable. On the shelf it finds the models that this process kept when it did earlier orders."""
    lost: Callable[[_Task, str], _Result]
    """The result of a task that twice ended the process that worked on it; the sentence says how it ended."""


class Doer(Protocol):
    """Who does tasks."""

    def do(self, order: Order[_Task, _Result], tasks: Sequence[_Task]) -> list[_Result]:
        """The results of the tasks, in their order."""


class Alone:
    """This process, doing all the work itself."""

    def __init__(self, kept: int = MOST_KEPT) -> None:
        """`kept` is the bound of its shelf."""
        self._shelf = Shelf(kept)

    def do(self, order: Order[_Task, _Result], tasks: Sequence[_Task]) -> list[_Result]:
        """The results of the tasks, in their order."""
        return [order.work(task, self._shelf) for task in tasks]
