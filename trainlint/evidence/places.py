"""Lines of source that evidence names."""

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
class Called:
    """A line of a call chain."""

    path: str
    line: int
    function: str
