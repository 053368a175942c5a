"""What is answered to a claim. Plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from trainlint.evidence.interval import Interval


class State(Enum):
    """What becomes of a claim."""

    CONFIRMED = "confirmed"
    """A run shows it, in at least every fourth step in the mean."""
    LIKELY = "likely"
    """A rule reports it from the code alone; no run has shown it."""
    REFUTED = "refuted"
    """It does not happen at the line, or not in the steps."""
    NOT_REACHED = "not reached"
    """The run did not come to the line."""
    UNKNOWN = "unknown"
    """Neither the code nor the run tells."""
    INVALID = "invalid"
    """The claim cannot be judged as it was written: no such file, line or kind."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A claim, and what became of it."""

    path: str
    """As the claim names it; empty where it could not be read, as are `line` (then 0) and `kind`."""
    line: int
    kind: str
    note: str
    state: State
    reason: str
    """Why, in a clause, with the counts."""
    per_step: float | None = None
    """How often it happens a step, in the mean of the steps that were counted."""
    gain_ms: Interval | None = None
    """Milliseconds that a step would be shorter without it, by a model of the device's queue."""
    chain: tuple[str, ...] = ()
    """The way from the training loop to the line, outermost first, as far as it is known."""
    rules: tuple[str, ...] = ()
    """The codes of the rules that report the line."""
    basis: str = "code"
    """"code" or "run": what the answer rests on; empty where the claim is invalid."""
