"""What `trainlint why` answers: the facts of each line, and why each rule reports something or is silent.

Plain frozen data with no tree inside, as the engine makes it and the report prints it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from trainlint.analysis.types.values import Value
from trainlint.finding import Confidence, Finding, HeatFact, Span


class Hiding(Enum):
    """What keeps `trainlint check` from showing a finding. The values are the words of the JSON format."""

    NOT_SELECTED = "not-selected"
    """The configuration does not select the rule, or ignores it, here or everywhere."""
    PREVIEW = "preview"
    """The rule is a preview rule, and neither `--preview` nor its full code is given."""
    LOW_CONFIDENCE = "low-confidence"
    """The finding is less sure than `min-confidence`."""
    COMMENT = "comment"
    """An ignore comment silences it."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """One reason why a finding is not shown."""

    by: Hiding
    line: int | None = None
    """Where the comment stands, for COMMENT."""
    cell: int | None = None
    """The cell of a notebook that the line is counted in."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A finding, and whether `trainlint check` shows it."""

    finding: Finding
    hidden: tuple[Hidden, ...] = ()
    """Empty where it is shown."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a value in the user's code is."""

    text: str
    """Its source, on one line."""
    value: Value


@dataclass(frozen=True, slots=True)
class Look:
    """A rule looked at a place."""

    code: str
    name: str
    span: Span
    text: str
    """The source of the place, on one line and shortened."""
    off: Hiding | None = None
    """Why the rule does not run on this file in `trainlint check`; None where it does."""
    verdicts: tuple[Verdict, ...] = ()
    """What it found, if anything."""
    silence: str | None = None
    """Why it reports nothing, as a clause. None where it found something, crashed, or looks for something else."""
    failure: str | None = None
    """How the rule crashed."""


@dataclass(frozen=True, slots=True)
class Part:
    """A line has another place of a finding that stands elsewhere in the file."""

    finding: Finding
    message: str
    """What is the case on the line, as a short clause."""


@dataclass(frozen=True, slots=True)
class Line:
    """All that is known of one line."""

    number: int
    text: str
    """As it stands in the file."""
    function: str | None = None
    """The qualified name of the function around it; None at the top of the file and on a line without code."""
    heat: HeatFact | None = None
    """How often it runs; None on a line without code."""
    body: HeatFact | None = None
    """How often the body runs, where the line begins a loop."""
    gradients_off: bool = False
    gradients_reason: str | None = None
    """What switches autograd off, where that can be said."""
    values: tuple[Fact, ...] = ()
    """The values that calls, tests and texts on this line use."""
    unknown: tuple[str, ...] = ()
    """Those of which nothing is known."""
    looks: tuple[Look, ...] = ()
    """What rules saw here: first those that found something, then by code."""
    part_of: tuple[Part, ...] = ()
    """The findings on other lines that `trainlint check` shows and that have a related place on this one."""
    cell: int | None = None
    """The cell of a notebook that the number is counted in."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer about some lines of a file."""

    path: str
    first: int
    last: int
    """The lines asked about; of a notebook, counted in the text of all its code cells."""
    whole_file: bool
    """Whether the lines are those of the file that a rule looks at; otherwise they are those asked about."""
    min_confidence: Confidence
    lines: tuple[Line, ...] = ()
    nearby: tuple[Finding, ...] = ()
    """Where no rule looks at any of the lines: the findings that are nearest, in their stable order."""
    missing_words: tuple[str, ...] = ()
    """Set where no rule looks at the file at all: it holds none of these words."""
