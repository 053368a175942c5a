"""What a step is, while a script runs: one of the optimizer, or one of an environment."""

from __future__ import annotations

import functools
import pkgutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

from trainlint_probe.simulated.events import Cause, Log, What


class Steps:
    """Counts steps: the optimizer's from the first one on, until then backward passes."""

    def __init__(self, log: Log, begin: Sequence[Callable[[], None]], each: Callable[[], None]) -> None:
        self.log = log
        self.begin = begin
        """Called when the first step has ended."""
        self.each = each
        """Called when any step has ended."""
        self.taken = 0
        self.first = 0
        """The log's number of the first step that counts."""
        self._is_optimizer = False

    def optimizer(self) -> None:
        """An optimizer has stepped."""
        if not self._is_optimizer:
            self._is_optimizer = True
            self.taken, self.first = 0, self.log.step + 1
        self._ended()

    def backward(self) -> None:
        """A backward pass has ended."""
        if not self._is_optimizer:
            self._ended()

    def _ended(self) -> None:
        self.log.step += 1
        self.taken += 1
        self.each()
        if self.taken == 1:
            self.first = self.log.step
            for call in self.begin:
                call()


class EnvironmentSteps:
    """Counts events by steps of an environment, from the first step of training on."""

    def __init__(self, log: Log) -> None:
        self.taken = 0
        self.counts: dict[Cause, Counter[int]] = defaultdict(Counter)
        self._runs = False
        log.listeners.append(self._note)

    def start(self) -> None:
        """From now on."""
        self._runs = True
        self.taken = 0
        self.counts.clear()

    def stepped(self) -> None:
        """The environment has taken a step."""
        self.taken += self._runs

    def _note(self, what: What, size: int, cause: Cause) -> None:
        if self._runs:
            self.counts[cause][self.taken] += 1


@contextmanager
def calls_told(name: str, after: Callable[[], None]) -> Iterator[None]:
    """Call `after` when the function of that name, as in "package.module.Class.method", has ended; none for ""."""
    if not name:
        yield
        return
    owner, _, attribute = name.rpartition(".")
    at = pkgutil.resolve_name(owner)
    original = getattr(at, attribute)

    @functools.wraps(original)
    def told(*arguments: Any, **named: Any) -> Any:
        answer = original(*arguments, **named)
        after()
        return answer

    with mock.patch.object(at, attribute, told):
        yield
