"""What a change does to a training. Plain data; times are milliseconds, what was not counted is None and never 0."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line


class Answer(Enum):
    """Whether a training computes the same after a change."""

    SAME = "same"
    """All that was compared is the same, bit for bit."""
    CHANGED = "changed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss in which two runs differ first."""

    before: str
    """As Python writes it: no bit is lost."""
    after: str
    relative: float | None
    """The difference as a share of the loss before; None where one of them is no finite number, or that is 0."""


@dataclass(frozen=True, slots=True)
class Training:
    """How what is computed after a change compares with what was computed before."""

    answer: Answer
    sentence: str
    """Why, without a full stop."""
    steps: int
    """How many steps were compared, those of the warm-up included."""
    losses: int
    """How many losses were compared."""
    first_step: int | None = None
    """The first step, from 1, that differs; None where none does."""
    loss: Loss | None = None
    """Its first loss that differs; None where the losses of that step are the same, and its parameters are not."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number before and after; None where it was not counted."""

    name: str
    unit: str
    """"a step", "bytes", "bytes a step" or "ms"."""
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class LineChange:
    """What the device waits for or copies because of one line, in a step, where that is not the same any more."""

    at: Line
    """As the user's files have it: those before the change where that is fixes, else those after it."""
    what: str
    kind: str
    """"wait" or "copy"."""
    before: float
    after: float
    only: str = ""
    """"before" or "after": the version that the number is of, where the user's files have no such line."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of running a script before and after a change."""

    before: str
    """The version in words: "commit 1a2b3c4"."""
    after: str
    device: str
    """What both ran on: "simulated NVIDIA H100"."""
    steps: int
    """Over how many steps was counted."""
    training: Training
    figures: tuple[Figure, ...]
    step_ms_before: Interval | None
    """What a step takes: by the model on a simulated device, else measured, the quartiles. None where not known."""
    step_ms_after: Interval | None
    lines: tuple[LineChange, ...]
    worse: tuple[str, ...]
    """What the change makes worse, in words; empty where nothing is known to be."""
    notes: tuple[str, ...]
    """What else the reader must know, in sentences."""
    message: str
    """One line for a commit message."""
