"""Workflow commands of GitHub Actions: each finding becomes an annotation on its line of the pull request."""

from __future__ import annotations

import re
from dataclasses import replace

from trainlint.finding import Failure, Finding, Report, Severity, Span
from trainlint.report.characters import sentence
from trainlint.report.groups import Group, Reason, groups_of
from trainlint.report.measured import measured_note_of, stale_sentences
from trainlint.report.one import as_one
from trainlint.report.paths import below_repository, span_in_file
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import failure_sentence, heat_note, line_name

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}


def render(report: Report, *, sources: Sources, settings: Settings, **_unused: object) -> str:
    """A command a group of findings and a failure; empty for a clean report.

    GitHub shows the first ten of each level, so the dearest come first.
    """
    lines = [_group(group, report, sources, settings) for group in groups_of(report, by_path=settings.by_path)]
    lines += [_stale(path, said, settings) for path, said in stale_sentences(report)]
    lines += [_failure(failure, settings) for failure in report.failures]
    return "".join(f"{line}\n" for line in lines)


def _group(group: Group, report: Report, sources: Sources, settings: Settings) -> str:
    """The annotation of a group: of findings side by side it covers all lines."""
    first, last = group.findings[0], group.findings[-1]
    span = first.span
    if Reason.SIDE_BY_SIDE in group.reasons:
        span = max(span, replace(span, end_line=last.span.end_line, end_column=last.span.end_column))
    span = span_in_file(span, first.cell, (first.cell and sources(first.path)) or None)
    return _finding(as_one(group), span, measured_note_of(report, group.findings), settings)


def _finding(finding: Finding, span: Span, measured: str, settings: Settings) -> str:
    properties = {"file": below_repository(finding.path, settings), "line": str(span.start_line)}
    if span.start_line == span.end_line:
        # GitHub takes columns only on annotations of one line.
        properties |= {"endLine": str(span.end_line), "col": str(span.start_column), "endColumn": str(span.end_column)}
    else:
        properties["endLine"] = str(span.end_line)
    where = "" if finding.cell is None else f" ({line_name(finding.span.start_line, finding.cell)})"
    properties["title"] = f"{finding.code} {finding.name}{where}"
    note = heat_note(finding)
    message = finding.message
    if finding.help:
        message += f"\nhelp: {finding.help}"
    if note:
        message += f"\n({note})"
    if measured:
        message += f"\n(measured: {measured})"
    return _command(_COMMANDS[finding.severity], properties, message)


def _stale(path: str, said: str, settings: Settings) -> str:
    return _command("notice", {"file": below_repository(path, settings), "title": "The evidence is stale"}, said)


def _failure(failure: Failure, settings: Settings) -> str:
    properties = {"file": below_repository(failure.path, settings), "title": "trainlint could not judge"}
    return _command("error", properties, failure_sentence(failure))


def _command(name: str, properties: dict[str, str], data: str) -> str:
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_data(data)}"


def _data(text: str) -> str:
    """The escapes that the runner undoes; what cannot be shown is an escape of Python's."""
    pieces = re.split(r"([\r\n])", text)
    shown = "".join(piece if piece in ("\r", "\n") else sentence(piece, unicode=True) for piece in pieces)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
