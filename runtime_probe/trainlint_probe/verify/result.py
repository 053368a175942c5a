"""What comes of trying a fix: two versions of a training, run in turn, compared in speed and in what they compute.

Plain data. Times are milliseconds; what was not measured is None or empty, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from trainlint.finding import Safety
from trainlint_probe.verify.order import Place
from trainlint_probe.verify.ratio import Estimate


class End(Enum):
    """How a run ended."""

    WINDOW_CLOSED = "window closed"
    """The steps asked for were seen, and the run was stopped."""
    TOO_SHORT = "too short"
    """The script ended by itself before that."""
    FAILED = "script failed"
    TIMED_OUT = "timed out"
    STOPPED = "stopped"
    """By us: a checkpoint of the user's was in danger, or something failed on our side."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a step leaves behind, in the mean of the window's steps."""

    tensors: float
    """More tensors that Python can reach."""
    graph_nodes: float
    """More operations that autograd remembers for them."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of the script, with or without the fix."""

    end: End
    step_ms: tuple[float, ...] = ()
    """The steps after the warm-up."""
    losses: tuple[float, ...] = ()
    """What backward was called on, warm-up included."""
    parameters: str = ""
    """A digest (SHA-256) of all parameters and buffers after the last step; empty where none were found."""
    norm: float | None = None
    """The Euclidean norm of all of these together."""
    loaded: tuple[str, ...] = ()
    """Which of the edited files were loaded."""
    clock: str = ""
    """What counted as a step: "AdamW.step"."""
    device: str = "cpu"
    ranks: int = 1
    """How many processes trained together: their numbers are laid together here."""
    host_peak: int | None = None
    """Bytes of the machine's memory: the most that the process held, and what its workers held at the end."""
    device_peak: int | None = None
    """Bytes: the most that tensors held on the device."""
    kept: Kept | None = None
    """What each step leaves behind; None where that was not counted."""
    reached: tuple[Place, ...] | None = None
    """Which places of the findings the run came by; None where that was not watched, or cannot be."""
    files: tuple[str, ...] = ()
    """What it did to files, or would have, in sentences."""
    overlaid: bool = False
    """Whether it had an overlay, to which it wrote instead."""
    failure: str = ""
    """Why it did not come to its end: the error's own words, and the line of the user's that it comes from."""


class Likeness(Enum):
    """How like the unchanged training the fixed one is, the closest first."""

    IDENTICAL = "identical"
    """Every loss and the parameters are the same, bit for bit."""
    WITHIN_NOISE = "within noise"
    """It differs from unchanged runs no more than these differ from one another."""
    WITHIN_TOLERANCE = "within tolerance"
    """Every loss is the same but for rounding."""
    ALIKE_ON_AVERAGE = "alike on average"
    """The losses differ one by one, as with other random numbers, and agree on average."""
    DIFFERENT = "different"
    """It differs by more than the fix promises."""
    UNKNOWN = "unknown"
    """The unchanged runs differ too much, or too little was seen."""


@dataclass(frozen=True, slots=True)
class Training:
    """How what the fixed version computes compares with what the unchanged one does."""

    likeness: Likeness
    sentence: str
    """The same with its numbers, without a full stop."""
    losses: int
    """How many losses of each run were compared."""
    noise: float | None = None
    """The most by which two unchanged runs differ in a loss, or in the parameters' norm at the end, relative to it."""
    change: float | None = None
    """The same for an unchanged and a fixed run: the median of all such pairs."""
    first_difference: int | None = None
    """The first loss, from 1, in which a fixed run differs from the first unchanged one; None where none does."""
    same_parameters: bool | None = None
    """Whether the fixed runs end with the very parameters of the unchanged ones; None where these do not agree."""
    mean_change: Estimate | None = None
    """By how much the mean loss of the second half changes, relative to it, where losses differ one by one."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The most memory that a run needs, without and with a fix: the median of the runs, in bytes."""

    where: str
    """Whose memory: "device" or "host"."""
    before: int
    after: int
    is_change: bool
    """Whether they differ by more than runs of one version do."""
    sentence: str
    """The same in words, without a full stop."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """What a step leaves behind, without and with a fix."""

    before: Kept
    after: Kept
    keeps_less: bool
    """Whether autograd remembers fewer operations with the fix, in each run, and no more tensors are kept."""
    sentence: str
    """The same in words, without a full stop."""


class Outcome(Enum):
    """What trying a fix came to."""

    VERIFIED = "verified"
    """It makes the training faster; or it saves memory, or keeps less of each step, and is shown to slow it by no more
    than a twentieth. And it keeps what it promises to keep."""
    NO_GAIN = "no gain"
    """It keeps what it promises to keep, and this training gains neither time nor memory that could be measured."""
    TRAINING_CHANGED = "training changed"
    """It changes what is computed, more than it promises, or the script fails with it."""
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Verification:
    """What trying the fixes of one rule came to."""

    code: str
    name: str
    outcome: Outcome
    sentence: str
    """How fast it is, with the numbers, or what keeps it from being compared; without a full stop. What it does to the
    training is said by `training`."""
    safety: Safety | None = None
    """What the fix promises; None where there is no fix."""
    files: tuple[str, ...] = ()
    """The files that it edits."""
    fixes: int = 0
    """How many findings it fixes."""
    speed: Estimate | None = None
    """The time of a step with the fix, as a multiple of that without, and its 98% interval."""
    training: Training | None = None
    before: tuple[Trial, ...] = ()
    """The runs without the fix. The first is a rehearsal whose times do not count."""
    after: tuple[Trial, ...] = ()
    """The runs with it; each is paired with the run without it of the same number, the rehearsal left out."""
    keeping: Keeping | None = None
    """What a step leaves behind in both versions; None where that was not counted."""
    peak: Peak | None = None
    """How much memory both versions need; None where nothing was measured."""
