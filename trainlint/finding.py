"""What trainlint says: findings, their fixes, and the failures that kept it from judging.

Plain frozen data with no tree inside, so that it can be pickled, cached and sent between processes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trainlint.evidence.verdicts import Verdict


class Severity(IntEnum):
    """A rule's tier. `--fail-on` compares severities; heat and evidence never change them in silence."""

    ADVICE = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The word shown to people and written to machine formats."""
        return self.name.lower()


class Safety(IntEnum):
    """How far a fix may change what the program computes."""

    SAFE = 1
    """Bit-identical training."""
    NUMERICS = 2
    """The same mathematics; rounding, order or the random stream may differ."""
    UNSAFE = 3
    """Changes what is computed or how processes are laid out; needs a person's judgement."""

    @property
    def label(self) -> str:
        """The word shown to people and written to machine formats."""
        return self.name.lower()


class Confidence(IntEnum):
    """How likely a finding is to be right. CERTAIN and LIKELY are shown by default."""

    UNLIKELY = 1
    POSSIBLE = 2
    LIKELY = 3
    CERTAIN = 4

    @property
    def label(self) -> str:
        """The word shown to people and written to machine formats."""
        return self.name.lower()


class Heat(Enum):
    """How often a line runs, in units of training."""

    STEP = "step"
    """Each training iteration, micro-batches of accumulation included."""
    INNER = "inner"
    """A loop inside a step: for each layer, parameter or sample."""
    EVAL_STEP = "eval-step"
    """Each batch of an evaluation."""
    EPOCH = "epoch"
    """Once for each pass over the data."""
    RARE = "rare"
    """Behind an interval, a first step, a failure."""
    ONCE = "once"
    """Set-up."""
    WORKER = "worker"
    """In a dataset or collate function: runs in data-loading processes."""
    UNKNOWN = "unknown"
    """Nothing is known of who calls it."""

    __hash__ = object.__hash__  # at once, by identity: `Enum` itself hashes a member's name, in Python

    @property
    def in_step(self) -> bool:
        """Whether the line runs at least once in each training iteration."""
        return self is Heat.STEP or self is Heat.INNER


class LoopKind(Enum):
    """What one iteration of a loop, or a call, is in units of training."""

    STEP = "step"
    MICRO = "micro"
    """A part of a step: micro-batches of accumulation, losses, networks."""
    EPOCH = "epoch"
    """It holds a whole loop over steps."""
    EVAL = "eval"
    """A batch that is not trained on."""
    OTHER = "other"

    __hash__ = object.__hash__

    @property
    def trains(self) -> bool:
        """Whether a step, a part of one, or many of them are taken."""
        return self not in (LoopKind.EVAL, LoopKind.OTHER)


OFTEN = {
    Heat.STEP: " in every training step",
    Heat.INNER: " in every training step",
    Heat.EVAL_STEP: " in every evaluation step",
}
"""How messages end that say how often the line runs."""
IN_WORKERS = "runs in the loader's workers"
"""How a step of a chain ends that is the first in these processes."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of source: lines and columns are 1-based, columns count characters, the end is exclusive."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters [start, stop) of the decoded source text by `text`."""

    start: int
    stop: int
    text: str
    cell: int | None = None
    """In a report on a notebook, the cell whose source the characters are counted in; None everywhere else."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they do not overlap. Insertions at one offset keep the order given here."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        pieces += (text[position : edit.start], edit.text)
        position = edit.stop
    pieces.append(text[position:])
    return "".join(pieces)


@dataclass(frozen=True, slots=True)
class Fix:
    """A whole rewrite that is applied completely or not at all. Edits are sorted and do not overlap in one cell."""

    title: str
    edits: tuple[Edit, ...]
    safety: Safety


@dataclass(frozen=True, slots=True, order=True)
class RelatedPlace:
    """Another place of a finding's defect, such as a call that reaches it, or a further use of the same import."""

    path: str
    """As that of the finding."""
    line: int
    """1-based."""
    column: int
    """1-based, in characters."""
    message: str
    """What is the case there, as a short clause: "calls `reduce_mean` in every training step"."""
    cell: int | None = None
    """As that of a finding."""


NOT_EXECUTED = "not executed: nothing in sight calls it, or the test before it never holds"


@dataclass(frozen=True, slots=True)
class HeatFact:
    """How often a place runs, how sure that is from 0 to 1, and how it comes to run, outermost first."""

    heat: Heat
    confidence: float
    chain: tuple[str, ...] = ()
    optional: bool = False
    """Whether it runs only if somebody turns on an option that is off by default."""
    in_sight: bool = False
    """Whether the way there begins in a program, or in what a framework calls, and not in a function that nothing in
    sight calls: a rule about something missing asks for that."""


UNKNOWN_HEAT = HeatFact(Heat.UNKNOWN, 1.0)
LEFT_OUT = HeatFact(Heat.UNKNOWN, 1.0, (NOT_EXECUTED,))


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often the statements of a file are executed, as the abstract run of its project has seen it."""

    facts: tuple[HeatFact, ...] = ()
    lines: Mapping[int, int] = field(default_factory=dict)
    """The first line of a statement → the place of its fact among them. What is missing is not executed."""
    parts: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Line and column of a statement that begins inside a line, or of an expression that is not executed as often as
    its statement → the same."""
    calls: Mapping[int, tuple[RelatedPlace, ...]] = field(default_factory=dict)
    """The line of a function → the calls through which it runs in each training step, nearest first."""
    leading_out: frozenset[int] = frozenset()
    """Lines of the file that are such calls of functions of other files, whose findings a comment there silences."""
    kinds: Mapping[tuple[int, int], LoopKind] = field(default_factory=dict)
    """Line and column of a loop, or of a call that trains → its kind; others are missing."""

    @property
    def any_in_step(self) -> bool:
        """Whether any of it runs in each training step."""
        return any(fact.heat.in_step for fact in self.facts)

    def at(self, line: int, column: int | None = None) -> HeatFact | None:
        """That of the statement which begins a line, or of what begins in a column of it; None where it has none."""
        number = self.lines.get(line) if column is None else self.parts.get((line, column))
        return None if number is None else self.facts[number]


NOTHING_EXECUTED = Frequencies()


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where training is slow, wasteful or wrong."""

    code: str
    name: str
    path: str
    """As shown to the user: relative to the working directory where possible, with forward slashes."""
    span: Span
    message: str
    """What is the case here, as a fact. Of rules that have no `help` yet, what to do about it as well."""
    severity: Severity
    heat: Heat = Heat.UNKNOWN
    confidence: Confidence = Confidence.CERTAIN
    """How likely it is to be right: as likely as the weakest of its premises."""
    chain: tuple[str, ...] = ()
    """Why the line is as hot as it is, outermost first, as in "line 88: for batch in train_loader"."""
    fix: Fix | None = None
    help: str = ""
    """What to do about it; empty where the message says so itself."""
    related: tuple[RelatedPlace, ...] = ()
    """Further places of the same defect, nearest first. An ignore comment at any of them silences the finding."""
    withheld: bool = False
    """Whether it has a fix that the configuration keeps from being shown or applied."""
    cell: int | None = None
    """In a report on a notebook, the cell that the span is counted in: its place among all cells, counted from 1."""

    @property
    def sentence(self) -> str:
        """The message and the help, for formats that have one text for both."""
        return f"{self.message}; {self.help}" if self.help else self.message

    @property
    def order(self) -> tuple[str, int, int, int, str, str, int, int]:
        """The stable output order: by path, then position, then code and message, then the end.

        No two findings that are shown apart have the same: they come from a set, whose order each run has anew.
        """
        span = self.span
        begin = (self.path, self.cell or 0, span.start_line, span.start_column)
        return (*begin, self.code, self.message, span.end_line, span.end_column)


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that trainlint could not judge. Never silent: it makes the exit code 2."""

    path: str
    reason: str
    """A sentence for people: what happened and what to do."""
    rule: str | None = None
    """The code of the rule that failed; TRN001 where the file is no readable Python; None for all else."""
    lasting: bool = False
    """Whether the same bytes fail in the same way every time. What time, memory or permissions decide may not."""


@dataclass(frozen=True, slots=True)
class UnappliedFix:
    """A fix that was tried and taken back. Its finding still stands; that alone decides the exit code."""

    path: str
    rule: str
    """The code of the rule whose fix it was."""
    reason: str
    """A sentence for people: which fix, and why it was not applied."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What evidence says of a report's findings. It changes none of them."""

    evidence: str
    """The file that holds it, as the user named it."""
    run: str
    """What was measured, as in "20 steps of train.py on cpu"."""
    verdicts: Mapping[Finding, Verdict]
    stale: tuple[str, ...] = ()
    """Files with findings that the evidence is about, and that have changed since."""
    stale_fails: bool = False
    """Whether the report's failures name these files, too."""


@dataclass(frozen=True, slots=True)
class GoneFinding:
    """An entry of a baseline that no finding stands behind any more."""

    path: str
    """As those of findings."""
    code: str
    function: str
    """The qualified name of the function or class around the line; empty at the top of a file."""
    line: str
    """The text of the line, without indentation."""
    id: str = ""
    """Empty where the baseline was written without ids."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What a report was compared with, and what it leaves out because it is not new."""

    baselines: tuple[str, ...] = ()
    """The files of baselines, as shown to the user."""
    known: tuple[Finding, ...] = ()
    """The findings that these list, in their stable order. The report does not list them."""
    gone: tuple[GoneFinding, ...] = ()
    """Entries of these about what is judged, behind which no finding stands any more."""
    base: str | None = None
    """The revision whose changes the report is limited to, as the user named it."""
    outside: int = 0
    """How many findings have nothing to do with what changed since."""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one run found out, ready to print. Findings and failures are in their stable order."""

    findings: tuple[Finding, ...]
    failures: tuple[Failure, ...]
    files: int
    """How many files were judged."""
    training: int = 0
    """How many of these have training code, so that rules looked at them."""
    in_step: int = 0
    """How many of these have code that runs in each training step."""
    suppressed: int = 0
    """How many findings the user's ignore comments silenced."""
    fixed: int = 0
    """How many findings were fixed on disk."""
    fixed_rules: tuple[tuple[str, str, int], ...] = ()
    """For each file and rule that had any, how many: path, code, number."""
    ignored: int = 0
    """How many findings comments silence that this run has written."""
    unapplied: tuple[UnappliedFix, ...] = ()
    """Fixes that were asked for and could not be applied."""
    left_out: int = 0
    """How many findings are not listed because the user wants only some, named or counted."""
    measured: Measured | None = None
    """None where no evidence was given."""
    compared: Compared | None = None
    """None where every finding is reported, new or not."""
    settings: int = 0
    """How many of the judged files hold no code but settings of training."""
