"""A summary in Markdown for a comment on a pull request, or the page of a CI job."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from trainlint.baseline.identity import Identities
from trainlint.finding import Finding, Report
from trainlint.handbook import FIX_FLAGS, docs_url
from trainlint.report.characters import sentence
from trainlint.report.groups import Group, groups_of
from trainlint.report.measured import measured_note_of, stale_sentences
from trainlint.report.next_steps import MOST, commands, dearest
from trainlint.report.one import as_one
from trainlint.report.paths import below_repository
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import count, failure_sentence, fixable, heat_note, place_text, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.catalogue import AnyRule

_MOST_ROWS = 200
"""Groups of findings that are listed. A job's page takes 1 MiB, and nobody reads further."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~@!])")


def render(report: Report, *, sources: Sources, rules: Sequence[AnyRule], settings: Settings, **_unused: object) -> str:
    """Counts, the dearest findings, all others folded up, how to go on, and what could not be judged."""
    lines = ["## trainlint", "", _text(summary(report, rules=len(rules)))]
    if groups := groups_of(report, by_path=settings.by_path):
        identities = Identities(sources, settings.directory)
        lines += ["", *_dearest(report, groups, identities, settings)]
        if len(groups) > MOST:
            folded = [*_rules(groups), "", *_all(report, groups, identities, settings)]
            lines += ["", f"<details><summary>All {len(groups)} problems</summary>", "", *folded, "", "</details>"]
        lines += ["", *_how_to_go_on(report, groups, settings)]
    notes = [said for _, said in stale_sentences(report)] + [failure_sentence(failure) for failure in report.failures]
    if notes:
        lines += ["", "### Could not be judged" if report.failures else "### Notes", ""]
        lines += [f"- {_text(note)}" for note in notes]
    return "\n".join(lines) + "\n"


def _dearest(report: Report, groups: Sequence[Group], identities: Identities, settings: Settings) -> list[str]:
    base = report.compared.base if report.compared else None
    new = f"New since {_text(base)}, the" if base else "New, the" if report.compared else "The"
    lines = [f"### {new} dearest first", ""]
    for number, (group, *alike) in enumerate(dearest(report, groups, settings), 1):
        finding, cost = as_one(group), measured_note_of(report, group.findings)
        lines.append(f"{number}. {_rule(finding)} {_text(_place(finding, settings))}: **{_text(finding.message)}**")
        notes = [finding.help, f"cost: {cost}" if cost else heat_note(finding), _fix(finding)]
        notes.append(f"so at {count(len(alike), 'further place')}" if alike else "")
        notes.append(f"id: {identities.id_of(group.first)}")
        lines += (f"   - {_text(note)}" for note in notes if note)
    return lines


def _how_to_go_on(report: Report, groups: Sequence[Group], settings: Settings) -> Iterator[str]:
    """The commands that lead on; first of all a measurement, where there is none."""
    if report.measured is None:
        yield "- `trainlint probe SCRIPT` measures what each of these costs"
    for command, said in commands(report, groups, settings):  # which may name a file of the repository
        yield f"- {_code(sentence(command, unicode=True).replace('`', '?'))} ({said})"


def _rules(groups: Iterable[Group]) -> list[str]:
    by_code: defaultdict[str, list[Group]] = defaultdict(list)
    for group in groups:
        by_code[group.first.code].append(group)
    rows = ["| rule | problems | places | fixes |", "| --- | ---: | ---: | --- |"]
    for found in sorted(by_code.values(), key=lambda found: (-len(found), found[0].first.code)):
        first, places = found[0].first, [finding for group in found for finding in group.findings]
        name = f"{_rule(first)} {_text(first.name)}"
        rows.append(f"| {name} | {len(found)} | {len(places)} | {_text(fixable(places))} |")
    return rows


def _all(report: Report, groups: Sequence[Group], identities: Identities, settings: Settings) -> list[str]:
    rows = ["| place | rule | what | fix | id |", "| --- | --- | --- | --- | --- |"]
    for group in groups[:_MOST_ROWS]:
        finding, measured = as_one(group), measured_note_of(report, group.findings)
        what = f"{_cell(finding.sentence)}{f' (measured: {_cell(measured)})' if measured else ''}"
        cells = (_cell(_place(finding, settings)), _rule(finding), what, _fix(finding), identities.id_of(group.first))
        rows.append(f"| {' | '.join(cells)} |")
    if len(groups) > _MOST_ROWS:
        rows += ["", f"{len(groups) - _MOST_ROWS} more problems are not listed here."]
    return rows


def _place(finding: Finding, settings: Settings) -> str:
    span = finding.span
    return place_text(below_repository(finding.path, settings), span.start_line, span.start_column, finding.cell)


def _fix(finding: Finding) -> str:
    return f"`{FIX_FLAGS[finding.fix.safety]}`" if finding.fix else ""


def _rule(finding: Finding) -> str:
    url = docs_url(finding)
    return f"[{finding.code}]({url})" if url else _text(finding.code)


def _text(text: str, *, bar: str = "|") -> str:
    """Words that came from a repository, in which nothing is markup but code between backquotes in our sentences.

    `bar` is what a bar in code becomes.
    """
    parts = sentence(text, unicode=True).split("`")
    if len(parts) % 2 == 0:  # a single backquote opens nothing
        return _escaped("`".join(parts))
    return "".join(_code(part, bar) if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _cell(text: str) -> str:
    """The same in a table, whose cells end at a bar even inside of code, unless a backslash stands before it."""
    return _text(text, bar="\\|")


def _code(text: str, bar: str = "|") -> str:
    return f"`{text.replace('|', bar)}`" if text.strip() else _escaped(f"`{text}`")


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)
