"""How the lines of a file are executed, and which of their operations nobody is told of. For people who ask why."""

from __future__ import annotations

import ast
from typing import Final, NamedTuple

from trainlint.interpreter.machine.events import Happening, Level, Link
from trainlint.interpreter.machine.run import Heat, Run

_HOTTEST: Final[tuple[Heat, ...]] = ("step", "evaluation", "rare", "worker", "off", "cold")


class Visit(NamedTuple):
    """One way in which a line is executed."""

    heat: Heat
    level: Level
    way: tuple[Link, ...]
    """What leads there, outermost first: what begins the step, the calls, and the tests that they are behind."""


class Visits:
    """Remembers, for each line of a file, the hottest way to it; of equal ones the first."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.by_line: dict[int, Visit] = {}
        self.untold: dict[tuple[ast.expr | ast.stmt, Happening], Heat] = {}
        """Operations outside of training steps, or needed there, with how often they are executed at most."""

    def see(self, run: Run, statement: ast.stmt) -> None:
        """Watch a run that is about to execute a statement."""
        if not self._concerns(run) or run.quiet:
            return
        known = self.by_line.get(statement.lineno)
        if known is None or _HOTTEST.index(run.heat) < _HOTTEST.index(known.heat):
            self.by_line[statement.lineno] = Visit(run.heat, run.level, run.way_here)

    def leave_untold(self, run: Run, node: ast.expr | ast.stmt, happening: Happening) -> None:
        """Remember an operation that nobody is told of."""
        if self._concerns(run):
            known = self.untold.get((node, happening), run.heat)
            self.untold[node, happening] = min(known, run.heat, key=_HOTTEST.index)

    def _concerns(self, run: Run) -> bool:
        return run.frame.module.path == self._path
