"""What to do first: what could gain most, said with how sure that is. It is the second line of the report."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING

from trainlint.evidence import Interval, Run, State, Verdict
from trainlint_probe.judgement.verdicts import THRESHOLD
from trainlint_probe.report.words import Defect, defects, percent, place_text, without_confirmed
from trainlint_probe.wording.units import span

if TYPE_CHECKING:
    from trainlint_probe.result import Unjudged


def to_do_first(verdicts: Sequence[Verdict], step_ms: float) -> list[Defect]:
    """What is confirmed, and what may gain as much, in the order of the middle of what each could gain in a step.

    What is confirmed without a time, such as memory that grows, counts as what just matters: 1% of a step.
    """
    worth = [(_worth(item, step_ms), item) for item in defects(verdicts)]
    ordered = sorted(((ms, item) for ms, item in worth if ms > 0), key=lambda pair: -pair[0])
    return [item for _, item in ordered]


def _worth(item: Defect, step_ms: float) -> float:
    return max(_mean_cost(one, step_ms) for one in (item.said, *item.also)) if _is_open(item.said) else 0.0


def _is_open(said: Verdict) -> bool:
    if said.state is State.CONFIRMED:
        return True
    return said.state is State.INCONCLUSIVE and said.share is not None and said.share.high >= THRESHOLD


def _mean_cost(said: Verdict, step_ms: float) -> float:
    """Milliseconds a step. Without an upper bound, the lower one is all that is known."""
    if said.cost is None:
        return THRESHOLD * step_ms if said.state is State.CONFIRMED else 0.0
    low, high = said.cost.low, said.cost.high
    return (low + min(high, max(step_ms, low))) / 2 if isfinite(high) else low


def gain(said: Verdict, per: str = "a step") -> str:
    """What could be gained, and how sure that is: "26.1 to 36.2 ms a step (49.1–68.2%), confirmed"."""
    if said.cost is None:
        return f"{said.state.value}, though no time was measured that it costs"
    bounds = Interval(max(said.cost.low, 0.0), said.cost.high)
    share = f" ({percent(said.share)})" if said.share is not None else ""
    sure = {"trial": "measured by trying its fix"}.get(said.basis, said.state.value)
    sure = "not proved" if said.state is State.INCONCLUSIVE else sure
    return f"{span(bounds)} {per}{share}, {sure}"


def first_line(run: Run, verdicts: Sequence[Verdict], unjudged: Unjudged) -> str:
    """The second line of a run's report: what could gain most, and where that is not proved what surely gains."""
    return first_of(fmean(step.ms for step in run.steps), verdicts, unjudged) if run.steps else ""


def first_of(step_ms: float, verdicts: Sequence[Verdict], unjudged: Unjudged, per: str = "a step") -> str:
    """The same for steps of so many milliseconds; `per` is "in all" where there are none."""
    ordered = to_do_first(verdicts, step_ms)
    if not ordered:
        return without_confirmed(verdicts, unjudged)
    first = ordered[0].said
    what = f"{_place_and_rule(first)}: {gain(first, per)}"
    said = f"First: {what}. `trainlint explain {first.code}` says what to write instead."
    proved = next((item.said for item in ordered if item.said.state is State.CONFIRMED), None)
    if first.state is not State.INCONCLUSIVE:
        return said
    if proved is not None:
        return f"{said} Surely gained: {_place_and_rule(proved)}: {gain(proved, per)}."
    return f"{said} Nothing is confirmed."


def _place_and_rule(said: Verdict) -> str:
    return f"{place_text(said.at)}, {said.code} {said.name}"
