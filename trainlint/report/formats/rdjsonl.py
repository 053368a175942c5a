"""Diagnostics for reviewdog, a JSON object a line, with fixes as suggestions that a reviewer can accept.

The form is reviewdog's `rdjsonl`: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf. Its columns count
bytes of UTF-8 from 1.
"""

from __future__ import annotations

import json

from trainlint.finding import Failure, Finding, Fix, Report, Severity, apply_edits
from trainlint.handbook import RULE_PAGES, docs_url
from trainlint.report.groups import ranked
from trainlint.report.measured import measured_note
from trainlint.report.one import with_places
from trainlint.report.paths import below_repository, span_in_file
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import failure_sentence, heat_note
from trainlint.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.ADVICE: "INFO"}
_SOURCE = {"name": "trainlint", "url": RULE_PAGES.partition("/blob/")[0]}
_LONGEST_SUGGESTION = 30
"""Lines. A suggestion replaces one range, and one that reaches from an import at the top to a loop is not read."""


def render(report: Report, *, sources: Sources, settings: Settings, **_unused: object) -> str:
    """A line for each finding and each failure. Pure ASCII."""
    entries = [
        _finding(with_places(finding, group), sources(finding.path), measured_note(report, finding), settings)
        for finding, group, _ in ranked(report)
    ]
    entries += [_failure(failure, settings) for failure in report.failures]
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def _finding(finding: Finding, source: SourceFile | None, measured: str, settings: Settings) -> dict[str, Any]:
    span = span_in_file(finding.span, finding.cell, source)
    if finding.cell is not None:
        source = None  # columns and fixes of a cell are no places in the JSON
    start, end = (span.start_line, span.start_column), (span.end_line, span.end_column)
    note = heat_note(finding)
    parts = [finding.message, f"help: {finding.help}" if finding.help else "", f"({note})" if note else ""]
    parts.append(f"(measured: {measured})" if measured else "")
    entry: dict[str, Any] = {
        "message": "\n".join(part for part in parts if part),
        "location": _location(finding.path, settings, _range(start, end, source)),
        "severity": _SEVERITIES[finding.severity],
        "source": _SOURCE,
        "code": {"value": finding.code, **({"url": url} if (url := docs_url(finding)) else {})},
    }
    if source is not None and finding.fix is not None and (suggestion := _suggestion(finding.fix, source)) is not None:
        entry["suggestions"] = [suggestion]
    if finding.related:
        entry["related_locations"] = [
            {
                "message": place.message,
                "location": _location(place.path, settings, {"start": {"line": place.line}}),
            }
            for place in finding.related
        ]
    return entry


def _failure(failure: Failure, settings: Settings) -> dict[str, Any]:
    return {
        "message": failure_sentence(failure),
        "location": {"path": below_repository(failure.path, settings)},
        "severity": "ERROR",
        "source": _SOURCE,
        "code": {"value": "could-not-judge"},
    }


def _suggestion(fix: Fix, source: SourceFile) -> dict[str, Any] | None:
    """The whole fix as one replacement; None where its edits stand too far apart, as half a fix is none."""
    first, last = fix.edits[0].start, max(edit.stop for edit in fix.edits)
    (first_line, _), (last_line, _) = source.position(first), source.position(last)
    if last_line - first_line >= _LONGEST_SUGGESTION:
        return None
    behind = len(source.text) - last
    fixed = apply_edits(source.text, fix.edits)
    span = source.span(first, last)
    start, end = (span.start_line, span.start_column), (span.end_line, span.end_column)
    return {"range": _range(start, end, source), "text": fixed[first : len(fixed) - behind]}


def _location(path: str, settings: Settings, span: dict[str, Any]) -> dict[str, Any]:
    return {"path": below_repository(path, settings), "range": span}


def _range(start: tuple[int, int], end: tuple[int, int], source: SourceFile | None) -> dict[str, Any]:
    return {"start": _position(start, source), "end": _position(end, source)}


def _position(place: tuple[int, int], source: SourceFile | None) -> dict[str, int]:
    """A line and a column in bytes; the line alone where the text that tells the bytes is gone."""
    line, column = place
    if source is None:
        return {"line": line}
    before = source.line(line)[: column - 1]
    return {"line": line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}
