"""What the terminal and the page say alike: numbers in words, and verdicts in the order that they matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from trainlint.evidence import OUTCOMES, Interval, Line, Phase, Run, State, Verdict

_ORDER = (State.CONFIRMED, State.INCONCLUSIVE, State.UNMEASURED, State.REFUTED, State.NOT_OBSERVED)

LEAST_SHARE = 0.0005
"""A smaller share of a step would be printed as 0.0%, and is left out."""


def by_cost(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """What is proved first, then what may cost something, and in each the dearest first."""
    return sorted(verdicts, key=_rank)


def to_do_first(verdicts: Iterable[Verdict], most: int) -> list[Verdict]:
    """The confirmed verdicts that cost most."""
    return [item for item in by_cost(verdicts) if item.state is State.CONFIRMED][:most]


def mean_phases(run: Run) -> dict[Phase, float]:
    """The milliseconds of each phase in a mean step, in the order in which a step runs. Nothing without steps."""
    if not run.steps:
        return {}
    spent = {phase: fmean(step.phases.get(phase, 0.0) for step in run.steps) for phase in Phase}
    whole = sum(spent.values())
    return {phase: ms for phase, ms in spent.items() if ms >= LEAST_SHARE * whole and ms > 0}


def label(state: State) -> str:
    """A state in a word or two."""
    return "unmeasured" if state is State.UNMEASURED else state.value


def counts(verdicts: Sequence[Verdict]) -> str:
    """How many there are of each state: "2 confirmed; 1 refuted"."""
    numbers = [(sum(item.state is state for item in verdicts), label(state)) for state in _ORDER]
    return "; ".join(f"{number} {state}" for number, state in numbers if number)


def milliseconds(cost: Interval | None) -> str:
    """A time as an interval; empty where it is not known."""
    return "" if cost is None else _between(f"{cost.low:.2f}", f"{cost.high:.2f}", " ms")


def percent(share: Interval | None) -> str:
    """A share as an interval; empty where it is not known."""
    return "" if share is None else _between(f"{share.low * 100:.1f}", f"{share.high * 100:.1f}", "%")


def often(per_step: float | None) -> str:
    """How often a line runs in a step; empty where it is not known."""
    return "" if per_step is None else f"{per_step:.3g}×"


def capital(text: str) -> str:
    """The text with its first letter raised, as a sentence starts."""
    return text[:1].upper() + text[1:]


def full(text: str) -> str:
    """The text as a sentence, with a capital and one full stop."""
    return f"{capital(text).rstrip('.')}."


def place(line: Line) -> str:
    """Where a line stands; what has no line of its own is of a whole script or trace."""
    return f"{line.path}:{line.line}" if line.line else line.path


def why_no_step(run: Run) -> str:
    """What kept a run from being measured."""
    return OUTCOMES.get(run.outcome, run.outcome)


def _rank(item: Verdict) -> tuple[float, ...]:
    cost = item.cost or Interval(-1.0, -1.0)
    return (_ORDER.index(item.state), -cost.low, -cost.high)


def _between(low: str, high: str, unit: str) -> str:
    return f"{low}{unit}" if low == high else f"{low}–{high}{unit}"
