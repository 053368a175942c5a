"""The order in which workers get tasks: first files they had before, then files nobody had, then those of others."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainlint.engine.pool.tasks import OnFile

_LARGEST_CHUNK = 200_000
"""Bytes of source that a worker is given at a time, unless one file is larger: half a second of work."""
_CHUNKS_EACH = 8
"""Little work is cut into so many chunks for each worker, so that all workers end at about the same time."""


class TaskQueue:
    """Waiting tasks, by number. Large files come first, so that no worker ends long after the others."""

    def __init__(self, tasks: Sequence[OnFile], owner_of: Mapping[Path, int], workers: int) -> None:
        """`owner_of` says which worker has had a file before."""
        limit = min(_LARGEST_CHUNK, sum(task.size for task in tasks) // (_CHUNKS_EACH * workers) + 1)
        order = sorted(range(len(tasks)), key=lambda index: -tasks[index].size)
        by_owner: dict[int | None, list[int]] = {}
        for index in order:
            by_owner.setdefault(owner_of.get(tasks[index].path), []).append(index)
        self._waiting = {owner: deque(_chunks(own, tasks, limit)) for owner, own in by_owner.items()}

    def __len__(self) -> int:
        """How many chunks there are."""
        return sum(map(len, self._waiting.values()))

    def take(self, worker: int) -> Sequence[int]:
        """The next tasks of a worker; none where nothing is left."""
        for owner in (worker, None):
            if self._waiting.get(owner):
                return self._waiting[owner].popleft()
        # The last of another worker's tasks: that worker had the first ones first, and may still have their models.
        longest = max(self._waiting.values(), key=len, default=None)
        return longest.pop() if longest else ()

    def give_back(self, worker: int, tasks: Iterable[int]) -> None:
        """Put tasks back into the queue, for the worker that had them."""
        if chunk := list(tasks):
            self._waiting.setdefault(worker, deque()).appendleft(chunk)


def _chunks(numbers: Iterable[int], tasks: Sequence[OnFile], limit: int) -> Iterator[list[int]]:
    chunk: list[int] = []
    filled = 0
    for number in numbers:
        chunk.append(number)
        filled += tasks[number].size
        if filled >= limit:
            yield chunk
            chunk, filled = [], 0
    if chunk:
        yield chunk
