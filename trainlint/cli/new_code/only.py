"""`trainlint check --only ID`: findings that are named by their ids, and no others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.cli.console import UsageError
from trainlint.report.words import failure_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainlint.baseline.identity import Identities
    from trainlint.finding import Finding, Report


def named(report: Report, ids: Sequence[str], identities: Identities) -> Report:
    """The report of a run that fixed nothing, with the findings of these ids. Raises UsageError for an id of none."""
    known = [identities.id_of(finding) for finding in report.findings]
    unknown = next((each for each in ids if each not in known), None)
    if unknown is not None:
        raise UsageError(
            f"no finding here has the id {unknown}: it was fixed, its statement changed, or these paths and "
            "settings do not show it; `trainlint check --output-format agent` lists ids",
            *map(failure_sentence, report.failures),
        )
    listed = zip(report.findings, known, strict=True)
    return _with(report, [finding for finding, each in listed if each in ids])


def standing(report: Report, asked: Report, ids: Sequence[str], identities: Identities) -> Report:
    """The report of a run that fixed findings of these ids, with those of them that stand.

    Of equal statements, one that was fixed may leave its id to the next, so the fixes are counted. `asked` are the
    findings before the run.
    """
    left = Counter((finding.path, finding.code) for finding in asked.findings)
    left -= Counter({(path, code): number for path, code, number in report.fixed_rules})
    kept: list[Finding] = []
    for finding in report.findings:
        if left[finding.path, finding.code] and identities.id_of(finding) in ids:
            left[finding.path, finding.code] -= 1
            kept.append(finding)
    return _with(report, kept)


def _with(report: Report, kept: Sequence[Finding]) -> Report:
    return replace(report, findings=tuple(kept), left_out=len(report.findings) - len(kept))
