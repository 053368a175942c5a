"""How the lines of files are executed, and which of their operations nobody is told of. For people who ask why."""

from __future__ import annotations

import ast
from collections.abc import Iterable
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
    """Remembers, for each line of some files, the hottest way to it; of equal ones the first."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.by_line: dict[str, dict[int, Visit]] = {path: {} for path in paths}
        """Of each file."""
        self.untold: dict[str, dict[tuple[ast.expr | ast.stmt, Happening], Heat]] = {path: {} for path in self.by_line}
        """Operations of each outside of training steps, or needed there, with how often they are executed at most."""

    def see(self, run: Run, statement: ast.stmt) -> None:
        """Watch a run that is about to execute a statement."""
        by_line = self.by_line.get(run.frame.module.path)
        if by_line is None or run.quiet:
            return
        known = by_line.get(statement.lineno)
        if known is None or _HOTTEST.index(run.heat) < _HOTTEST.index(known.heat):
            by_line[statement.lineno] = Visit(run.heat, run.level, run.way_here)

    def leave_untold(self, run: Run, node: ast.expr | ast.stmt, happening: Happening) -> None:
        """Remember an operation that nobody is told of."""
        untold = self.untold.get(run.frame.module.path)
        if untold is not None:
            known = untold.get((node, happening), run.heat)
            untold[node, happening] = min(known, run.heat, key=_HOTTEST.index)
