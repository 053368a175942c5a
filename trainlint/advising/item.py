"""One thing to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Basis(IntEnum):
    """What a gain is known by, the surest last."""

    UNKNOWN = 0
    """Nobody measured it."""
    PUBLISHED = 1
    """Somebody measured it on a program of theirs."""
    PLANNED = 2
    """`trainlint plan` computed it for this training."""
    MEASURED = 3
    """`trainlint probe` measured it on this training."""

    @property
    def words(self) -> str:
        """As people read it."""
        return ("not measured", "published", "planned", "measured here")[self]


@dataclass(frozen=True, slots=True)
class Gain:
    """What doing it is expected to bring."""

    basis: Basis
    words: str
    """A sentence's end: "3% to 5% of a step", "unknown for your model; a step of a GPT-2 fell from 1.87 to 1.81 s"."""
    low: float | None = None
    high: float | None = None
    """Bounds of the share of a step, where it is one; None where only words are known."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to do, with all places where it applies."""

    key: str
    """A rule's code; "plan:" or "run:" and what of it for what no rule found."""
    title: str
    help: str
    places: tuple[str, ...]
    """`path:line`, in order."""
    gain: Gain
    wrong: bool
    """Whether the training computes something else than meant, which comes before any speed."""
    effort: str
    command: str | None
    """What applies the fix."""
    changes: str
    """What may differ afterwards."""
    check: str
    """What to look at afterwards."""
    after: tuple[str, ...] = ()
    """Keys of what should be done first, where that is on the list too."""
