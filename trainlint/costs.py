"""Which finding to look at first: by what it costs a step, then by how sure it is; old names last.

A run decides where there is one. Where there is none, only the rule and how often the line runs are known: the table
below puts them in order, and says nothing of how much.
"""

from __future__ import annotations

from enum import IntEnum

from trainlint.finding import Confidence, Finding, Heat, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.evidence.verdicts import Verdict

_CONFIRMED, _NOT_TIMED, _REFUTED = 0, 1, 2


class Kind(IntEnum):
    """What a finding costs, the dearest first."""

    WRONG = 0
    """The training computes something else than meant, or fails."""
    WHOLE_STEP = 1
    """All arithmetic of a step is slower: its precision, its attention, how processes share the work."""
    DATA = 2
    """The step waits for its batch."""
    WAIT = 3
    """The host waits for the device, which then waits for the host."""
    COMMUNICATION = 4
    """Ranks exchange more than is needed, or wait for each other."""
    KERNELS = 5
    """More or slower kernels than are needed."""
    COPY = 6
    """Bytes travel between host and device."""
    MEMORY = 7
    OTHER = 8
    NAME = 9
    """An old name, or a comment for trainlint: it costs no time."""


KINDS = {
    "TRN0": Kind.NAME,
    "TRN1": Kind.DATA,
    "TRN102": Kind.COPY,
    "TRN2": Kind.WAIT,
    "TRN205": Kind.COPY,
    "TRN207": Kind.COPY,
    "TRN208": Kind.COPY,
    "TRN3": Kind.MEMORY,
    "TRN301": Kind.WAIT,
    "TRN4": Kind.KERNELS,
    "TRN401": Kind.WHOLE_STEP,
    "TRN406": Kind.WHOLE_STEP,
    "TRN5": Kind.COMMUNICATION,
    "TRN507": Kind.WHOLE_STEP,
    "TRN513": Kind.WHOLE_STEP,
    "TRN6": Kind.KERNELS,
    "TRN7": Kind.KERNELS,
    "TRN705": Kind.WHOLE_STEP,
    "TRN8": Kind.NAME,
}
"""By code, and by the first four characters of the codes of a topic for all others of it."""

SET_FOR_EACH_STEP = frozenset(
    {"TRN101", "TRN102", "TRN105", "TRN112", "TRN309", "TRN401", "TRN406", "TRN408"}
    | {"TRN507", "TRN508", "TRN509", "TRN510", "TRN513", "TRN518", "TRN520", "TRN521", "TRN522", "TRN530"}
    | {"TRN601", "TRN705", "TRN707"}
)
"""Rules about a setting: its line runs once, and what it sets holds in each step."""

_OFTEN = {
    Heat.INNER: 0, Heat.STEP: 0, Heat.EVAL_STEP: 1, Heat.WORKER: 2, Heat.UNKNOWN: 2,
    Heat.EPOCH: 3, Heat.RARE: 4, Heat.ONCE: 4,
}  # fmt: skip


def kind(code: str, severity: Severity) -> Kind:
    """What the findings of a rule cost. The codes of other packs are in no table."""
    known = KINDS.get(code, KINDS.get(code[:4], Kind.OTHER))
    return Kind.WRONG if severity is Severity.ERROR and known is not Kind.NAME else known


def dearness(finding: Finding, verdict: Verdict | None = None) -> tuple[float, ...]:
    """The less, the sooner to look at: what a run confirmed, by its cost; what none timed; what one refuted."""
    cost = kind(finding.code, finding.severity)
    often = 0 if finding.code in SET_FOR_EACH_STEP else _OFTEN[finding.heat]
    when = (cost is Kind.NAME, cost is not Kind.WRONG, often, cost, finding.heat is not Heat.INNER)
    return (*_measured(verdict), *when, Confidence.CERTAIN - finding.confidence, Severity.ERROR - finding.severity)


def _measured(verdict: Verdict | None) -> tuple[float, float, float]:
    if verdict is None:
        return (_NOT_TIMED, 0.0, 0.0)
    from trainlint.evidence.verdicts import State  # a report without evidence needs none of its classes

    if verdict.state is State.REFUTED:
        return (_REFUTED, 0.0, 0.0)
    if verdict.state is not State.CONFIRMED:
        return (_NOT_TIMED, 0.0, 0.0)
    return (_CONFIRMED, -verdict.cost.low, -verdict.cost.high) if verdict.cost else (_CONFIRMED, 0.0, 0.0)
