"""A time between two bounds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A time that is known to lie between two bounds, in milliseconds per step."""

    low: float
    high: float
