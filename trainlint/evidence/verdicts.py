"""What a run says of findings. Plain data: judged by the probe, read by reports and `check`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line


@dataclass(frozen=True, slots=True)
class Judged:
    """The source files that verdicts are about, as they were when they were judged."""

    directory: str | None = None
    """The working directory of the run, from the root of the git repository that it is in; None outside of one."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """The path of each, as verdicts name it → the SHA-256 of its bytes, in hexadecimal."""


class State(Enum):
    """What the run says of a finding."""

    CONFIRMED = "confirmed"
    """It costs at least the threshold; or it happens, where that alone is what the finding says."""
    REFUTED = "refuted"
    """The line ran, and what it costs is less than the threshold."""
    INCONCLUSIVE = "inconclusive"
    """It may cost more or less than the threshold."""
    UNMEASURED = "executed, unmeasured"
    """The line ran, and what it costs cannot be measured: it shows on an accelerator alone, or the probe cannot see it.
    """
    NOT_OBSERVED = "not observed"
    """Nothing of it was seen, and the line is not known to have run."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Which verdict is meant."""

    code: str
    at: Line


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run says of one finding."""

    code: str
    name: str
    at: Line
    state: State
    sentence: str
    """Why, with the numbers."""
    cost: Interval | None = None
    share: Interval | None = None
    """Of the step, 0 to 1. The fields are shares, not milliseconds."""
    per_step: float | None = None
    """How often the line runs in a step."""
    basis: str = ""
    """What the numbers rest on: "timer", "trace", "counter", "trial"."""
    message: str = ""
    """What the finding says."""
    help: str = ""
    """What to do about it, as the finding says; empty where it does not, and of what only the run could see."""
    new: bool = False
    """Whether only the run could see it."""
    fix: str = ""
    """How safe the finding's fix is, "safe", "numerics" or "unsafe"; empty where it has none, or where it was tried and
    speaks against itself."""
    same_as: Reference | None = None
    """Of what only the run could see: the finding in the code that says the same of the same line. The two are one
    defect, and what is to be done about it stands with the other."""
