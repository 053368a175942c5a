"""For programs: one JSON object, described in docs/json-schema.md and schema/check.schema.json."""

from __future__ import annotations

import json
from collections import Counter

from trainlint import __version__
from trainlint.baseline.identity import Identities
from trainlint.finding import Compared, Finding, Report, Safety, Span
from trainlint.handbook import docs_url
from trainlint.report.groups import Group, groups_of, ranked
from trainlint.report.measured import measured_object, verdict_on
from trainlint.report.one import with_places
from trainlint.report.patch import fix_difference
from trainlint.report.settings import Settings, Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT_VERSION = 2
"""Raised when a key changes its meaning or goes away. New keys may come at any time."""


def render(report: Report, *, sources: Sources, settings: Settings, **_unused: object) -> str:
    """The whole report. Pure ASCII, so that any stream takes it."""
    identities = Identities(sources, settings.directory)
    document = {
        "format_version": FORMAT_VERSION,
        "trainlint_version": __version__,
        "findings": [_finding(report, finding, group, rank, identities) for finding, group, rank in ranked(report)],
        "failures": [
            {"path": failure.path, "reason": failure.reason, "rule": failure.rule} for failure in report.failures
        ],
        "counts": _counts(report),
    }
    if report.measured:
        measured = report.measured
        document["evidence"] = {"path": measured.evidence, "run": measured.run, "stale": list(measured.stale)}
    if report.compared:
        document |= _compared(report.compared, identities)
    return json.dumps(document, indent=2) + "\n"


def _compared(compared: Compared, identities: Identities) -> dict[str, Any]:
    """What the findings were compared with, and what is left out because it is not new."""
    written: dict[str, Any] = {}
    if compared.baselines:
        written["baseline"] = {
            "paths": list(compared.baselines),
            "known": [finding_object(finding, identities) for finding in compared.known],
            "gone": [
                {
                    "id": gone.id or None,
                    "path": gone.path,
                    "code": gone.code,
                    "function": gone.function,
                    "line": gone.line,
                }
                for gone in compared.gone
            ],
        }
    if compared.base is not None:
        written["diff_base"] = {"revision": compared.base, "outside": compared.outside}
    return written


def _finding(report: Report, finding: Finding, group: Group, rank: int, identities: Identities) -> dict[str, Any]:
    written = finding_object(with_places(finding, group), identities)
    written["group"] = identities.id_of(group.first) if len(group.findings) > 1 else None
    written["rank"] = rank
    if report.measured:
        written["measured"] = measured_object(verdict_on(report, finding))
    return written


def finding_object(finding: Finding, identities: Identities) -> dict[str, Any]:
    """One finding, as each JSON format of trainlint writes it."""
    return {
        "id": identities.id_of(finding),
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
        "fix": _fix(finding, identities.sources),
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


def _fix(finding: Finding, sources: Sources) -> dict[str, Any] | None:
    fix = finding.fix
    if fix is None:
        return None
    return {
        "title": fix.title,
        "safety": fix.safety.label,
        "edits": [{"cell": edit.cell, "start": edit.start, "stop": edit.stop, "text": edit.text} for edit in fix.edits],
        "diff": fix_difference(finding, sources(finding.path)),
    }


def _counts(report: Report) -> dict[str, Any]:
    levels = Counter(finding.fix.safety for finding in report.findings if finding.fix)
    codes = Counter(finding.code for finding in report.findings)
    return {
        "files": report.files,
        "training_files": report.training,
        "step_files": report.in_step,
        "findings": len(report.findings),
        "groups": len(groups_of(report)),
        "left_out": report.left_out,
        "failures": len(report.failures),
        "suppressed": report.suppressed,
        "fixed": report.fixed,
        "fixable": {safety.label: levels[safety] for safety in Safety},
        "by_code": {code: codes[code] for code in sorted(codes)},
    }
