"""Where only a run shows what a finding in the code says of the same line, the two are one defect.

A reader wants it told once: by the finding in the code, which says what to write instead and may have a fix, with what
the run adds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trainlint.evidence.verdicts import Reference, State, Verdict
from trainlint.finding import Finding
from trainlint.symptoms import Symptom

COSTLY = frozenset({Symptom.CHECKPOINT, Symptom.DEEP_COPY, Symptom.GARBAGE_COLLECTION})
"""Calls that are timed on the host and are seldom needed in each step."""

SHOWN_BY: Mapping[str, frozenset[Symptom]] = {
    "loader-starvation": frozenset({Symptom.DATA_WAIT}),
    "host-sync": frozenset({Symptom.HOST_SYNC}),
    "pageable-copy": frozenset({Symptom.HOST_TO_DEVICE}),
    "allocator-churn": frozenset({Symptom.CACHE_EMPTIED}),
    "memory-grows": frozenset({Symptom.GRAPH_KEPT}),
    "run-wide-switch": frozenset({Symptom.SLOW_SWITCH}),
    "costly-call": COSTLY,
}
"""What only a run shows, where it has a line of its own → as what lines are seen to do it."""


def related(
    of_run: Sequence[Verdict],
    findings: Sequence[Finding],
    verdicts: Sequence[Verdict],
    symptoms: Mapping[str, frozenset[Symptom]],
) -> tuple[Verdict, ...]:
    """The verdicts on what only a run shows, with the finding named that says the same of the same line.

    Args:
        of_run: what only a run shows.
        findings: those in the code.
        verdicts: what the run says of these, in the same order. One that is refuted at the line, or was not
            measured there, says something else.
        symptoms: for each rule's code, what its pattern shows itself by.
    """
    pairs = list(zip(findings, verdicts, strict=True))
    return tuple(replace(item, same_as=_partner(item, pairs, symptoms)) for item in of_run)


def _partner(
    item: Verdict, pairs: Sequence[tuple[Finding, Verdict]], symptoms: Mapping[str, frozenset[Symptom]]
) -> Reference | None:
    same = [
        verdict
        for finding, verdict in pairs
        if finding.path == item.at.path
        and finding.span.start_line <= item.at.line <= finding.span.end_line
        and SHOWN_BY.get(item.name, frozenset()) & symptoms[finding.code]
        and verdict.state in (State.CONFIRMED, item.state)
    ]
    best = min(same, key=lambda verdict: (verdict.state is not State.CONFIRMED, not verdict.fix), default=None)
    return Reference(best.code, best.at) if best is not None else None
