"""JUnit's XML, as CI services show test results: a suite for each file with findings, a failed case for each finding.

JUnit has no official schema. The elements and attributes are those that Jenkins' xUnit plugin describes.
"""

from __future__ import annotations

from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from trainlint.baseline.identity import Identities
from trainlint.finding import Failure, Finding, Report
from trainlint.report.characters import sentence
from trainlint.report.measured import measured_note
from trainlint.report.paths import below_repository, span_in_file
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import failure_sentence, heat_note, place_text


def render(report: Report, *, sources: Sources, settings: Settings, **_unused: object) -> str:
    """Findings are failures, what could not be judged is an error. A clean run is one case that passed. Pure ASCII."""
    identities = Identities(sources, settings.directory)
    suites = Element("testsuites", name="trainlint")
    for path, findings in groupby(report.findings, key=lambda finding: finding.path):
        shown = _plain(below_repository(path, settings))
        suite = SubElement(suites, "testsuite", name=shown)
        for finding in findings:
            line = span_in_file(finding.span, finding.cell, (finding.cell and sources(path)) or None).start_line
            _finding(suite, shown, line, finding, measured_note(report, finding), identities.id_of(finding))
        _count(suite, failures=len(suite))
    for failure in report.failures:
        _failure(suites, failure, settings)
    if not len(suites):
        suite = SubElement(suites, "testsuite", name="trainlint")
        SubElement(suite, "testcase", name="no problem was found", classname="trainlint")
        _count(suite)
    _count(suites, failures=len(report.findings), errors=len(report.failures), tests=len(suites.findall(".//testcase")))
    indent(suites)
    text: bytes = tostring(suites, encoding="us-ascii")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text.decode("ascii")}\n'


def _finding(suite: Element, path: str, line: int, finding: Finding, measured: str, identifier: str) -> None:
    case = SubElement(suite, "testcase", name=f"{finding.code} {finding.name} line {line}", classname=path)
    case.set("file", path)
    case.set("line", str(line))
    failed = SubElement(case, "failure", message=_plain(finding.message), type=finding.severity.label)
    at = place_text(path, finding.span.start_line, finding.span.start_column, finding.cell)
    parts = [at, finding.message, f"help: {finding.help}" if finding.help else ""]
    parts += [heat_note(finding), f"measured: {measured}" if measured else "", f"id: {identifier}"]
    failed.text = "\n".join(_plain(part) for part in parts if part)


def _failure(suites: Element, failure: Failure, settings: Settings) -> None:
    path = _plain(below_repository(failure.path, settings))
    suite = SubElement(suites, "testsuite", name=path)
    case = SubElement(suite, "testcase", name="could not judge", classname=path)
    SubElement(case, "error", message=_plain(failure_sentence(failure)), type="could-not-judge")
    _count(suite, errors=1)


def _count(element: Element, *, failures: int = 0, errors: int = 0, tests: int | None = None) -> None:
    element.set("tests", str(len(element) if tests is None else tests))
    element.set("failures", str(failures))
    element.set("errors", str(errors))


def _plain(text: str) -> str:
    """Text without the characters that XML forbids."""
    return sentence(text, unicode=True).translate({0xFFFE: "?", 0xFFFF: "?"})
