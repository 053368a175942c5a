"""What evidence says of findings, in the words that several formats share."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from trainlint.costs import dearness
from trainlint.report.characters import quoted
from trainlint.report.words import line_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from trainlint.evidence.interval import Interval
    from trainlint.evidence.verdicts import Verdict
    from trainlint.finding import Finding, Report


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
                f"{quoted(path)} has changed since {report.measured.evidence} was written, so its findings are not "
                "ranked by it: run `trainlint probe` again",
            )


def measured_note_of(report: Report, findings: Iterable[Finding]) -> str:
    """The note on the dearest of these findings that there is a verdict on; waits of one step may hide each other, so
    no sum is known.
    """
    if report.measured is None:
        return ""
    verdicts = report.measured.verdicts
    listed = list(findings)
    seen = [finding for finding in listed if finding in verdicts]
    if not seen:
        return ""
    dearest = min(seen, key=lambda each: dearness(each, verdicts[each]))
    note = measured_note(report, dearest)
    return note if len(seen) == len(listed) else f"{line_name(dearest.span.start_line, dearest.cell)} {note}"


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
