"""A summary in Markdown for the page of a CI job or a comment on a pull request."""

from __future__ import annotations

import re
from collections import defaultdict

from trainlint.baseline.identity import Identities
from trainlint.finding import Finding, Report
from trainlint.handbook import FIX_FLAGS, docs_url
from trainlint.report.characters import sentence
from trainlint.report.measured import by_cost, measured_note, stale_sentences
from trainlint.report.paths import below_repository
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import failure_sentence, fixable, place_text, summary

_MOST_ROWS = 200
"""Findings that are listed. A job's page takes 1 MiB, and nobody reads further."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~@!])")


def render(report: Report, *, sources: Sources, settings: Settings, **_unused: object) -> str:
    """Counts, a table of rules, a table of findings, and what could not be judged."""
    lines = ["## trainlint", "", _text(summary(report))]
    if report.findings:
        identities = Identities(sources, settings.directory)
        lines += ["", *_rules(report.findings), "", *_findings(report, identities, settings)]
    notes = [said for _, said in stale_sentences(report)] + [failure_sentence(failure) for failure in report.failures]
    if notes:
        lines += ["", "### Could not be judged" if report.failures else "### Notes", ""]
        lines += [f"- {_text(note)}" for note in notes]
    return "\n".join(lines) + "\n"


def _rules(findings: tuple[Finding, ...]) -> list[str]:
    groups: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.code].append(finding)
    rows = ["| rule | findings | fixes |", "| --- | ---: | --- |"]
    ranked = sorted(groups.values(), key=lambda members: (-len(members), members[0].code))
    rows += [
        f"| {_rule(members[0])} {_text(members[0].name)} | {len(members)} | {_text(fixable(members))} |"
        for members in ranked
    ]
    return rows


def _findings(report: Report, identities: Identities, settings: Settings) -> list[str]:
    rows = ["| place | rule | what | fix | id |", "| --- | --- | --- | --- | --- |"]
    ordered = tuple(by_cost(report))
    for finding in ordered[:_MOST_ROWS]:
        path, span = below_repository(finding.path, settings), finding.span
        at = place_text(path, span.start_line, span.start_column, finding.cell)
        measured = measured_note(report, finding)
        what = f"{_text(finding.sentence)}{f' (measured: {_text(measured)})' if measured else ''}"
        flag = f"`{FIX_FLAGS[finding.fix.safety]}`" if finding.fix else ""
        rows.append(f"| {_text(at)} | {_rule(finding)} | {what} | {flag} | {identities.id_of(finding)} |")
    if len(ordered) > _MOST_ROWS:
        rows += ["", f"{len(ordered) - _MOST_ROWS} more findings are not listed here."]
    return rows


def _rule(finding: Finding) -> str:
    url = docs_url(finding)
    return f"[{finding.code}]({url})" if url else _text(finding.code)


def _text(text: str) -> str:
    """Words that came from a repository, in which nothing is markup but code between backquotes in our sentences."""
    parts = sentence(text, unicode=True).split("`")
    if len(parts) % 2 == 0:  # a single backquote opens nothing
        return _escaped("`".join(parts))
    return "".join(_code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _code(text: str) -> str:
    """A piece of code. A table's cell ends at a bar even inside of code, unless a backslash stands before it."""
    return f"`{text.replace('|', chr(92) + '|')}`" if text.strip() else _escaped(f"`{text}`")


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)
