"""How often the code of a file runs, as the abstract run of its project saw it. Plain data without syntax trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from trainlint.finding import Heat, RelatedPlace

NOT_EXECUTED = "not executed: nothing in sight calls it, or the test before it never holds"


class HeatFact(NamedTuple):
    """How often a place runs, how sure that is from 0 to 1, and how it comes to run, outermost first."""

    heat: Heat
    confidence: float
    chain: tuple[str, ...] = ()
    optional: bool = False
    """Whether it runs only if somebody turns on an option that is off by default."""


UNKNOWN_HEAT = HeatFact(Heat.UNKNOWN, 1.0)
LEFT_OUT = HeatFact(Heat.UNKNOWN, 1.0, (NOT_EXECUTED,))


class Frequencies(NamedTuple):
    """How often the statements of one file are executed."""

    facts: tuple[HeatFact, ...] = ()
    lines: Mapping[int, int] = {}
    """The first line of a statement → the place of its fact among them. What is missing is not executed."""
    parts: Mapping[tuple[int, int], int] = {}
    """Line and column of a statement that begins inside a line, or of an expression that is not executed as often as
    its statement → the same."""
    calls: Mapping[int, tuple[RelatedPlace, ...]] = {}
    """The line of a function → the calls through which it runs in each training step, nearest first."""

    @property
    def any_in_step(self) -> bool:
        """Whether any of it runs in each training step."""
        return any(fact.heat.in_step for fact in self.facts)

    def at(self, line: int, column: int | None = None) -> HeatFact | None:
        """That of the statement which begins a line, or of what begins in a column of it; None where it has none."""
        number = self.lines.get(line) if column is None else self.parts.get((line, column))
        return None if number is None else self.facts[number]


NOTHING_EXECUTED = Frequencies()
