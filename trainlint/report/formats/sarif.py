"""SARIF 2.1.0, as code scanning services take it in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trainlint import __version__
from trainlint.baseline.identity import Identities
from trainlint.finding import Edit, Failure, Finding, GoneFinding, RelatedPlace, Report, Severity, Span
from trainlint.handbook import RULE_PAGES, docs_url, fix_label, page_markdown, topic
from trainlint.report.groups import ranked
from trainlint.report.measured import measured_object, stale_sentences, verdict_on
from trainlint.report.one import with_places
from trainlint.report.paths import below_repository, file_uri, folder_uri, span_in_file
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import failure_sentence, heat_note
from trainlint.source import SourceFile

if TYPE_CHECKING:
    from trainlint.catalogue import AnyRule
    from trainlint.rule import Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "trainlintId/v1"
"""Raised when the recipe changes, since old and new fingerprints can then not be compared."""

_ROOT = "SRCROOT"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}
_PROBLEM_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "recommendation"}

Json = dict[str, Any]


def render(report: Report, *, sources: Sources, rules: Sequence[AnyRule], settings: Settings) -> str:
    """A log with one run. Pure ASCII, so that any stream takes it, and without clock times, so that it is stable."""
    described = [_rule(rule.loaded()) for rule in sorted(rules, key=lambda rule: rule.code)]
    known = {rule["id"] for rule in described}
    listed = _with_states(report)
    for finding, _, _ in listed:
        if finding.code not in known:
            known.add(finding.code)
            described.append({"id": finding.code, "name": finding.name})
    index = {rule["id"]: position for position, rule in enumerate(described)}
    identities = Identities(sources, settings.directory)
    artifacts = _Artifacts(settings)
    results = []
    for finding, shown, state in listed:
        result = _result(shown, sources, index[finding.code], identities.id_of(finding), artifacts)
        if state is not None:
            result["baselineState"] = state
        if report.measured:
            result["properties"]["measured"] = measured_object(verdict_on(report, finding))
        results.append(result)
    if report.compared:
        results += [_absent(gone, index, artifacts) for gone in report.compared.gone]
    notifications = [_notification(failure, index, artifacts) for failure in report.failures]
    notifications += [_stale(path, said, artifacts) for path, said in stale_sentences(report)]
    run = {
        "tool": {
            "driver": {
                "name": "trainlint",
                "semanticVersion": __version__,
                "informationUri": RULE_PAGES.partition("/blob/")[0],
                "rules": described,
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": folder_uri(settings.repository or settings.directory)}},
        "invocations": [
            {"executionSuccessful": not report.failures, "toolExecutionNotifications": notifications},
        ],
        "artifacts": artifacts.listed,
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: type[Rule]) -> Json:
    page = page_markdown(rule)
    described: Json = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.manual.summary}."},
        "fullDescription": {"text": rule.manual.section("Why") or f"{rule.manual.summary}."},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity], "enabled": not rule.preview},
        "properties": {
            "tags": [topic(rule), f"fix-{fix_label(rule)}", *(["preview"] if rule.preview else [])],
            "problem.severity": _PROBLEM_SEVERITIES[rule.severity],
        },
    }
    if url := docs_url(rule):
        described["helpUri"] = url
    return described


def _with_states(report: Report) -> list[tuple[Finding, Finding, str | None]]:
    """The findings, each as it is shown, with the other places of its group, and with its `baselineState`.

    SARIF wants a state for all results of a run or for none.
    """
    compared = report.compared
    shown = [(finding, with_places(finding, group)) for finding, group, _ in ranked(report)]
    if compared is None or not compared.baselines:
        return [(*each, None) for each in shown]
    listed: list[tuple[Finding, Finding, str | None]] = [(*each, "new") for each in shown]
    listed += [(finding, finding, "unchanged") for finding in compared.known]
    return sorted(listed, key=lambda item: item[0].order)


def _result(finding: Finding, sources: Sources, rule_index: int, identifier: str, artifacts: _Artifacts) -> Json:
    source = sources(finding.path)
    span = span_in_file(finding.span, finding.cell, source)
    region = {
        "startLine": span.start_line,
        "startColumn": span.start_column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    artifact = artifacts.location(finding.path)
    result: Json = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        "partialFingerprints": {FINGERPRINT: identifier},
        "properties": {
            "heat": finding.heat.value,
            "confidence": finding.confidence.label,
            **({"help": finding.help} if finding.help else {}),
            **({"cell": finding.cell, "line": finding.span.start_line} if finding.cell is not None else {}),
        },
    }
    if finding.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": {
                    "artifactLocation": artifacts.location(place.path),
                    "region": _start(place, sources),
                },
                "message": {"text": place.message},
            }
            for number, place in enumerate(finding.related, 1)
        ]
    if finding.fix and finding.fix.edits and finding.cell is None:  # in a notebook, edits count in cells
        replacements = [_replacement(edit, source) for edit in finding.fix.edits]
        result["fixes"] = [
            {
                "description": {"text": finding.fix.title},
                "artifactChanges": [{"artifactLocation": artifact, "replacements": replacements}],
                "properties": {"safety": finding.fix.safety.label},
            }
        ]
    return result


def _start(place: RelatedPlace, sources: Sources) -> Json:
    span = Span(place.line, place.column, place.line, place.column)
    if place.cell is not None:
        span = span_in_file(span, place.cell, sources(place.path))
    return {"startLine": span.start_line, "startColumn": span.start_column}


def _absent(gone: GoneFinding, index: Mapping[str, int], artifacts: _Artifacts) -> Json:
    """What a baseline lists and nobody finds any more."""
    where = f" in {gone.function}" if gone.function else ""
    result: Json = {
        "ruleId": gone.code,
        "baselineState": "absent",
        "message": {"text": f"The baseline lists this finding{where}, and it is gone: {gone.line}"},
        "locations": [{"physicalLocation": {"artifactLocation": artifacts.location(gone.path)}}],
        **({"partialFingerprints": {FINGERPRINT: gone.id}} if gone.id else {}),
    }
    return {**result, "ruleIndex": index[gone.code]} if gone.code in index else result


def _message(finding: Finding) -> str:
    """The fact, then the help and how often the line runs, each as a paragraph, as viewers of SARIF show them."""
    note = heat_note(finding) if finding.chain else ""
    parts = [finding.message, f"help: {finding.help}" if finding.help else "", f"It {note}." if note else ""]
    return "\n\n".join(part for part in parts if part)


def _replacement(edit: Edit, source: SourceFile | None) -> Json:
    if source is None:
        deleted = {"charOffset": edit.start, "charLength": edit.stop - edit.start}
    else:
        span = source.span(edit.start, edit.stop)
        deleted = {
            "startLine": span.start_line,
            "startColumn": span.start_column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }
    return {"deletedRegion": deleted, "insertedContent": {"text": edit.text}}


def _notification(failure: Failure, index: dict[str, int], artifacts: _Artifacts) -> Json:
    notification: Json = {
        "descriptor": {"id": "could-not-judge"},
        "level": "error",
        "message": {"text": failure_sentence(failure)},
        "locations": [{"physicalLocation": {"artifactLocation": artifacts.location(failure.path)}}],
    }
    if failure.rule in index:
        notification["associatedRule"] = {"id": failure.rule, "index": index[failure.rule]}
    return notification


def _stale(path: str, said: str, artifacts: _Artifacts) -> Json:
    return {
        "descriptor": {"id": "stale-evidence"},
        "level": "warning",
        "message": {"text": said},
        "locations": [{"physicalLocation": {"artifactLocation": artifacts.location(path)}}],
    }


class _Artifacts:
    """The files that the log speaks of, in the order in which it first does."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._indices: dict[str, int] = {}
        self.listed: list[Json] = []

    def location(self, path: str) -> Json:
        """The location of a file, which is listed when it is met for the first time."""
        if path not in self._indices:
            self._indices[path] = len(self.listed)
            self.listed.append({"location": self._plain(path), "sourceLanguage": "python"})
        return {**self._plain(path), "index": self._indices[path]}

    def _plain(self, path: str) -> Json:
        uri = file_uri(below_repository(path, self._settings))
        return {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": _ROOT}
