"""What evidence says of findings, in the words and the order that several formats share."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from trainlint.report.characters import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from trainlint.evidence.interval import Interval
    from trainlint.evidence.verdicts import Verdict
    from trainlint.finding import Finding, Report

_FIRST, _BETWEEN, _LAST = 0, 1, 2


def by_cost(report: Report) -> tuple[Finding, ...]:
    """The findings, with those that are confirmed first, the dearest of them before, and those refuted last."""
    if report.measured is None:
        return report.findings
    return tuple(sorted(report.findings, key=lambda finding: _rank(verdict_on(report, finding))))


def verdict_on(report: Report, finding: Finding) -> Verdict | None:
    """What a run says of a finding; None where there is no evidence, or it says nothing of it."""
    return report.measured.verdicts.get(finding) if report.measured else None


def measured_note(report: Report, finding: Finding) -> str:
    """As in "confirmed: the step waits 31.3 ms for its data (20 steps of train.py on cpu)"; empty where unknown."""
    verdict = verdict_on(report, finding)
    if verdict is None or report.measured is None:
        return ""
    return f"{verdict.state.value}: {verdict.sentence} ({report.measured.run})"


def stale_sentences(report: Report) -> Iterator[tuple[str, str]]:
    """Each file that has changed since it was measured, and what to do about it, where no failure says so."""
    if report.measured and not report.measured.stale_fails:
        for path in report.measured.stale:
            yield (
                path,
                f"{quoted(path)} has changed since {report.measured.evidence} was written: run `trainlint probe` again",
            )


def measured_object(verdict: Verdict | None) -> dict[str, Any] | None:
    """A verdict, as the machine formats write it."""
    if verdict is None:
        return None
    return {
        "state": verdict.state.value,
        "sentence": verdict.sentence,
        "cost": _interval(verdict.cost),
        "share": _interval(verdict.share),
        "per_step": verdict.per_step,
        "basis": verdict.basis,
    }


def _interval(interval: Interval | None) -> dict[str, float | None] | None:
    """As in the probe's own document: null stands for a bound that there is not."""
    return None if interval is None else {name: _finite(getattr(interval, name)) for name in ("low", "high")}


def _finite(bound: float) -> float | None:
    return bound if isfinite(bound) else None


def _rank(verdict: Verdict | None) -> tuple[float, float, float]:
    from trainlint.evidence.verdicts import State  # a report without evidence needs none of its classes

    if verdict is None or verdict.state not in (State.CONFIRMED, State.REFUTED):
        return (_BETWEEN, 0.0, 0.0)
    if verdict.state is State.REFUTED:
        return (_LAST, 0.0, 0.0)
    return (_FIRST, -verdict.cost.low, -verdict.cost.high) if verdict.cost else (_FIRST, 0.0, 0.0)
