"""Which operators a device is given at which line, while a script runs."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from benchmarks.truth.facts import counted_lines
from benchmarks.truth.record import Queued
from trainlint_probe.simulated.operators import Operators


class Queue:
    """Collects them, for the innermost line of the packages."""

    def __init__(self, operators: Operators, is_counted: Callable[[str], bool]) -> None:
        self._operators = operators
        self._is_counted = is_counted
        self._names: dict[tuple[str, int], set[str]] = defaultdict(set)

    def start(self) -> None:
        """From now on."""
        self._operators.executed = self._note

    def found(self, shown: Callable[[str], str]) -> tuple[Queued, ...]:
        """What was queued; `shown` gives the path of a package's file as reports have it."""
        return tuple(Queued(shown(path), line, tuple(sorted(names))) for (path, line), names in self._names.items())

    def _note(self, operator: Any, arguments: Any, result: Any) -> None:
        innermost = next(counted_lines(sys._getframe(1), self._is_counted), None)  # noqa: SLF001 - the line
        if innermost is not None:
            self._names[innermost].add(operator.name)
