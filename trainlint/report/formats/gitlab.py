"""GitLab's Code Quality report: each finding appears in the merge request, at its line.

The form is that of GitLab's documentation, "Code Quality report format": an array of objects with description,
check_name, fingerprint, severity and location.
"""

from __future__ import annotations

import json

from trainlint.baseline.identity import Identities
from trainlint.baseline.statements import digest
from trainlint.finding import Failure, Finding, Report, Severity, Span
from trainlint.report.paths import below_repository, span_in_file
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import failure_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.ADVICE: "minor"}


def render(report: Report, *, sources: Sources, settings: Settings, **_unused: object) -> str:
    """Findings, then failures, which are blockers since something could not be judged. Pure ASCII."""
    identities = Identities(sources, settings.directory)
    entries = []
    for finding in report.findings:
        path = below_repository(finding.path, settings)
        span = span_in_file(finding.span, finding.cell, sources(finding.path))
        entries.append(_finding(finding, span, path, identities.id_of(finding)))
    for failure in report.failures:
        path = below_repository(failure.path, settings)
        entries.append(_failure(failure, path, digest(path, failure_sentence(failure))))
    return json.dumps(entries, indent=2) + "\n"


def _finding(finding: Finding, span: Span, path: str, fingerprint: str) -> dict[str, Any]:
    lines = {"begin": span.start_line, "end": span.end_line}
    return {
        "description": f"{finding.code} {finding.sentence}",
        "check_name": finding.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": path, "lines": lines},
    }


def _failure(failure: Failure, path: str, fingerprint: str) -> dict[str, Any]:
    return {
        "description": failure_sentence(failure),
        "check_name": "could-not-judge",
        "fingerprint": fingerprint,
        "severity": "blocker",
        "location": {"path": path, "lines": {"begin": 1}},
    }
