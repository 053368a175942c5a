"""For programs: one JSON object, described in docs/json-schema.md and schema/check.schema.json."""

from __future__ import annotations

import json
from collections import Counter

from trainlint import __version__
from trainlint.finding import Compared, Finding, Fix, Report, Safety, Span
from trainlint.handbook import docs_url
from trainlint.report.measured import measured_object, verdict_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT_VERSION = 2
"""Raised when a key changes its meaning or goes away. New keys may come at any time."""


def render(report: Report, **_unused: object) -> str:
    """The whole report. Pure ASCII, so that any stream takes it."""
    document = {
        "format_version": FORMAT_VERSION,
        "trainlint_version": __version__,
        "findings": [_finding(report, finding) for finding in report.findings],
        "failures": [
            {"path": failure.path, "reason": failure.reason, "rule": failure.rule} for failure in report.failures
        ],
        "counts": _counts(report),
    }
    if report.measured:
        measured = report.measured
        document["evidence"] = {"path": measured.evidence, "run": measured.run, "stale": list(measured.stale)}
    if report.compared:
        document |= _compared(report.compared)
    return json.dumps(document, indent=2) + "\n"


def _compared(compared: Compared) -> dict[str, Any]:
    """What the findings were compared with, and what is left out because it is not new."""
    written: dict[str, Any] = {}
    if compared.baselines:
        written["baseline"] = {
            "paths": list(compared.baselines),
            "known": [finding_object(finding) for finding in compared.known],
            "gone": [
                {"path": gone.path, "code": gone.code, "function": gone.function, "line": gone.line}
                for gone in compared.gone
            ],
        }
    if compared.base is not None:
        written["diff_base"] = {"revision": compared.base, "outside": compared.outside}
    return written


def _finding(report: Report, finding: Finding) -> dict[str, Any]:
    written = finding_object(finding)
    if report.measured:
        written["measured"] = measured_object(verdict_on(report, finding))
    return written


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding, as each JSON format of trainlint writes it."""
    return {
        "code": finding.code,
        "name": finding.name,
        "path": finding.path,
        "cell": finding.cell,
        "span": span_object(finding.span),
        "message": finding.message,
        "help": finding.help or None,
        "severity": finding.severity.label,
        "heat": finding.heat.value,
        "confidence": finding.confidence.label,
        "chain": list(finding.chain),
        "fix": _fix(finding.fix) if finding.fix else None,
        "related": [
            {
                "path": place.path,
                "cell": place.cell,
                "line": place.line,
                "column": place.column,
                "message": place.message,
            }
            for place in finding.related
        ],
        "url": docs_url(finding),
    }


def span_object(span: Span) -> dict[str, int]:
    """A piece of source, as each JSON format of trainlint writes it."""
    return {
        "start_line": span.start_line,
        "start_column": span.start_column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safety": fix.safety.label,
        "edits": [{"cell": edit.cell, "start": edit.start, "stop": edit.stop, "text": edit.text} for edit in fix.edits],
    }


def _counts(report: Report) -> dict[str, Any]:
    levels = Counter(finding.fix.safety for finding in report.findings if finding.fix)
    codes = Counter(finding.code for finding in report.findings)
    return {
        "files": report.files,
        "training_files": report.training,
        "findings": len(report.findings),
        "failures": len(report.failures),
        "suppressed": report.suppressed,
        "fixed": report.fixed,
        "fixable": {safety.label: levels[safety] for safety in Safety},
        "by_code": {code: codes[code] for code in sorted(codes)},
    }
