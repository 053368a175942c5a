"""For people at a terminal: the place, the reason, the code, the way out."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.finding import Finding, Report, Safety, Severity
from trainlint.handbook import FIX_FLAGS, docs_url
from trainlint.report.characters import quoted, sentence
from trainlint.report.settings import Settings, Sources, Style
from trainlint.report.words import failure_sentence, heat_note, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.text import Text

    from trainlint.source import SourceFile

_ACCENTS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.ADVICE: "bold cyan"}
_CAUTION = {
    Safety.SAFE: "safe",
    Safety.NUMERICS: "numerics: other rounding, order or random numbers",
    Safety.UNSAFE: "unsafe: needs your judgement",
}
_MANY = 4
"""From this many on, findings that say the same of the same loop or function are shown as one."""
_LABEL = 8
"""Columns of the labels left of the notes."""


def render(report: Report, *, sources: Sources, settings: Settings, **_unused: object) -> str:
    """Each finding as a paragraph, then what could not be judged, then a line of counts."""
    style = settings.style
    if not report.findings and not report.failures:
        # Without Rich, which takes longer to import than a clean file to judge.
        return sentence(summary(report), unicode=style.unicode) + "\n" if settings.summary else ""
    from trainlint.report.terminal import as_written

    return as_written(_lines(report, sources, settings), style)


def _lines(report: Report, sources: Sources, settings: Settings) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.measured import stale_sentences
    from trainlint.report.terminal import wrapped

    style = settings.style
    documented: set[str] = set()
    for finding, *others in _alike(report):
        yield from _finding(finding, sources(finding.path), report, style)
        if others:
            lines = ", ".join(str(other.span.start_line) for other in others)
            yield from _note("also:", f"the same {len(others)} more times, at lines {lines}", style)
        if finding.code not in documented:
            documented.add(finding.code)
            yield _docs(finding, style)
        yield Text()
    stale = [said for _, said in stale_sentences(report)]
    for said in stale:
        text = sentence(said, unicode=style.unicode)
        yield from wrapped(Text.assemble(("evidence: ", "bold"), text), style, indent="  ")
    if stale:
        yield Text()
    for failure in report.failures:
        text = sentence(failure_sentence(failure), unicode=style.unicode)
        yield from wrapped(Text.assemble(("error: ", "bold red"), text), style, indent="  ")
    if report.failures:
        yield Text()
    if settings.summary:
        yield from wrapped(Text(sentence(summary(report), unicode=style.unicode), "bold"), style)


def _alike(report: Report) -> Iterator[list[Finding]]:
    """Findings to show as one: many that say the same of one stretch of code would drown the others."""
    from trainlint.report.measured import by_cost, measured_note

    def said(finding: Finding) -> object:
        return (finding.path, finding.code, finding.sentence, finding.chain, measured_note(report, finding))

    groups: dict[object, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(said(finding), []).append(finding)
    shown: set[Finding] = set()
    for finding in by_cost(report):
        group = groups[said(finding)]
        if len(group) < _MANY:
            yield [finding]
        elif finding not in shown:
            shown.update(group)
            yield group


def _finding(finding: Finding, source: SourceFile | None, report: Report, style: Style) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.diff import diff, last_line
    from trainlint.report.frame import frame
    from trainlint.report.measured import measured_note
    from trainlint.report.terminal import wrapped

    accent = _ACCENTS[finding.severity]
    yield from _heading(finding, accent, style)
    yield from wrapped(Text(sentence(finding.message, unicode=style.unicode)), style)
    in_reach = source is not None and finding.span.start_line <= len(source.line_starts)
    greatest = finding.span.end_line + 1
    if source and finding.fix and finding.fix.edits:
        greatest = max(greatest, last_line(source, finding.fix))
    digits = len(str(greatest))
    if source and in_reach:
        yield Text()
        yield from frame(source, finding.span, style=style, digits=digits, accent=accent)
        yield Text()
    if finding.help:
        yield from _note("help:", finding.help, style)
    if note := heat_note(finding):
        yield from _note("note:", note, style)
    if measured := measured_note(report, finding):
        yield from _note("measured:", measured, style)
    if finding.fix:
        advice = f"{finding.fix.title} ({_CAUTION[finding.fix.safety]}; apply with {FIX_FLAGS[finding.fix.safety]})"
        yield from _note("fix:", advice, style)
        if source:
            yield from diff(source, finding.fix, style=style, digits=digits)


def _heading(finding: Finding, accent: str, style: Style) -> Iterator[Text]:
    """The place on a line of its own where both do not fit, so that the place stays in one piece."""
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    span = finding.span
    place = Text(
        sentence(f"{quoted(finding.path)}:{span.start_line}:{span.start_column}:", unicode=style.unicode), "bold"
    )
    url = docs_url(finding) if style.links else None
    rule = Text.assemble(
        (finding.severity.label, accent), " ", (finding.code, f"bold link {url}" if url else "bold"), f" {finding.name}"
    )
    if finding.confidence < 1:
        rule.append(f" ({finding.confidence:.0%} sure)", "dim")
    if place.cell_len + 1 + rule.cell_len <= style.width:
        yield Text(" ").join([place, rule])
    else:
        yield place
        yield from wrapped(rule, style)


def _note(label: str, text: str, style: Style) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    line = Text.assemble((f"  {label} ".ljust(_LABEL), "bold"), sentence(text, unicode=style.unicode))
    yield from wrapped(line, style, indent=" " * _LABEL)


def _docs(finding: Finding, style: Style) -> Text:
    """The address of the rule's page; where it would be broken, or there is none, the command that shows the page."""
    from rich.text import Text

    url = docs_url(finding)
    text = url if url and _LABEL + len(url) <= style.width else f"trainlint explain {finding.code}"
    look = f"dim link {url}" if url and style.links else "dim"
    return Text.assemble((f"  {'docs:':<{_LABEL - 2}}", "bold"), (text, look))
