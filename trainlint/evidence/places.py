"""Lines of source, and intervals of time, of which evidence speaks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """A line of source."""

    path: str
    """As findings show it: relative to the working directory where possible, with forward slashes."""
    line: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A time that is known to lie between two bounds, in milliseconds per step."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Called:
    """A line of a call chain."""

    path: str
    line: int
    function: str
