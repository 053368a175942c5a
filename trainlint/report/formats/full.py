"""For people at a terminal: what is wrong, where, the code, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from trainlint.finding import Edit, Finding, Fix, Report, Safety, Severity
from trainlint.handbook import FIX_FLAGS, docs_url
from trainlint.report.characters import quoted, sentence
from trainlint.report.settings import Settings, Sources, Style
from trainlint.report.words import failure_sentence, heat_note, level_words, line_name, place_text, summary

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
"""From this many on, findings that say the same of one loop or function are shown as one, however far apart."""
_MOST_RELATED = 3
"""How many related places are listed."""
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
    for group in _alike(report):
        finding = group[0]
        yield from _paragraph(group, sources(finding.path), report, settings)
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
    """Findings to show as one: those on neighbouring lines, or many, that say the same of one stretch of code."""
    from trainlint.report.measured import by_cost, measured_note

    def said(finding: Finding) -> object:
        level = finding.fix.safety if finding.fix else None
        return (finding.path, finding.code, finding.sentence, finding.chain, level, measured_note(report, finding))

    groups: dict[object, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(said(finding), []).append(finding)
    shown: set[Finding] = set()
    for finding in by_cost(report):
        if finding not in shown:
            group = groups[said(finding)]
            together = group if len(group) >= _MANY else _neighbours(finding, group)
            shown.update(together)
            yield together


def _neighbours(finding: Finding, group: Sequence[Finding]) -> list[Finding]:
    """A finding with those after it of which each begins on the line where the one before ends, or on the next."""
    found = [finding]
    for other in group[group.index(finding) + 1 :]:
        if other.cell != finding.cell or other.span.start_line - found[-1].span.end_line > 1:
            break
        found.append(other)
    return found


def _paragraph(
    group: Sequence[Finding], source: SourceFile | None, report: Report, settings: Settings
) -> Iterator[Text]:
    from trainlint.report.measured import measured_note

    style = settings.style
    finding, fix = group[0], _fix_of(group)
    yield from _heading(group, _ACCENTS[finding.severity], settings)
    if source and finding.cell is not None:
        yield from _code_in_cells(finding, fix, source, style)
    elif source:
        yield from _code(finding, fix, source, style)
    notes = [
        ("help:", finding.help),
        ("note:", heat_note(finding)),
        ("measured:", measured_note(report, finding)),
        ("fix:", f"{fix.title} ({_CAUTION[fix.safety]}; apply with {FIX_FLAGS[fix.safety]})" if fix else ""),
    ]
    for label, words in notes:
        if words:
            yield from _note(label, words, style)
    yield from _related(group, settings)


def _related(group: Sequence[Finding], settings: Settings) -> Iterator[Text]:
    """The first further places of the defect, a note each, and how many more there are; none that the chain names."""
    chain = [step for finding in group for step in finding.chain]
    places = [
        related
        for related in dict.fromkeys(related for finding in group for related in finding.related)
        if not any(
            f"{line_name(related.line, related.cell)}:" in step or f"{related.path}:{related.line}:" in step
            for step in chain
        )
    ]
    style = settings.style
    for related in places[:_MOST_RELATED]:
        at = place_text(related.path, related.line, related.column, related.cell)
        yield from _note("also:", f"{at} {related.message}", style, linked=(at, _uri(related.path, settings)))
    if len(places) > _MOST_RELATED:
        yield from _note("also:", f"{len(places) - _MOST_RELATED} more places like these", style)


def _code(finding: Finding, fix: Fix | None, source: SourceFile, style: Style) -> Iterator[Text]:
    """The diff of the fix; before it the frame of the finding, unless the diff shows the same line."""
    from rich.text import Text

    from trainlint.report.diff import changed_lines, diff, last_line
    from trainlint.report.frame import frame

    span = finding.span
    changed = changed_lines(source, fix) if fix else None
    digits = len(str(max(span.end_line + 1, last_line(source, fix) if fix and fix.edits else 0)))
    if span.start_line <= len(source.line_starts) and span.start_line not in (changed or ()):
        yield Text()
        yield from frame(source, span, style=style, digits=digits, accent=_ACCENTS[finding.severity])
        yield Text()
    elif changed is not None:
        yield Text()
    if fix and changed is not None:
        yield from diff(source, fix, style=style, digits=digits)
        yield Text()


def _code_in_cells(finding: Finding, fix: Fix | None, source: SourceFile, style: Style) -> Iterator[Text]:
    """The same in a notebook: the cell of the finding, then the diffs of other cells that the fix changes."""
    from rich.text import Text

    from trainlint.report.diff import diff, last_line

    edits: dict[int | None, list[Edit]] = {finding.cell: []}
    for edit in fix.edits if fix else ():
        edits.setdefault(edit.cell, []).append(edit)
    parts = {cell: replace(fix, edits=tuple(found)) for cell, found in edits.items() if fix and found}
    for number in edits:
        cell = source.cell(number or 0)
        part = parts.get(number)
        if cell is None:
            continue  # the notebook is no longer the one that was judged
        if number == finding.cell:
            yield from _code(finding, part, cell, style)
        elif part is not None:
            yield Text.assemble(("  --> ", "blue"), sentence(f"{quoted(finding.path)}:cell {number}", unicode=True))
            yield from diff(cell, part, style=style, digits=len(str(last_line(cell, part))))
            yield Text()


def _fix_of(group: Sequence[Finding]) -> Fix | None:
    """What fixes all findings of a group, to be shown as one; the first one's fix where edits touch each other."""
    fixes = [finding.fix for finding in group if finding.fix]
    if not fixes:
        return None
    edits = sorted({edit for fix in fixes for edit in fix.edits}, key=lambda edit: (edit.cell or 0, edit))
    if any(one.cell == other.cell and one.stop > other.start for one, other in pairwise(edits)):
        return fixes[0]
    return replace(fixes[0], edits=tuple(edits))


def _heading(group: Sequence[Finding], accent: str, settings: Settings) -> Iterator[Text]:
    """What is wrong, then where. The place stands on a line of its own, so that it stays in one piece."""
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    style = settings.style
    finding, *others = group
    url = docs_url(finding) if style.links else None
    heading = Text.assemble(
        (finding.severity.label, accent),
        ("[", accent),
        (finding.code, f"{accent} link {url}" if url else accent),
        ("]: ", accent),
        (sentence(finding.message, unicode=style.unicode), "bold"),
    )
    if words := level_words(finding):
        heading.append(f" ({words})", "dim")
    yield from wrapped(heading, style)
    span = finding.span
    uri = _uri(finding.path, settings)
    shown = sentence(place_text(finding.path, span.start_line, span.start_column, finding.cell), unicode=style.unicode)
    at = Text.assemble(("  --> ", "blue"), (shown, f"link {uri}" if uri else ""))
    name = Text(f"  {finding.name}", "dim")
    yield at + name if at.cell_len + name.cell_len <= style.width else at
    if others and finding.cell is not None:
        yield from _note(
            "also:", f"at {', '.join(line_name(each.span.start_line, each.cell) for each in others)}", style
        )
    elif others:
        lines = ", ".join(str(other.span.start_line) for other in others)
        yield from _note("also:", f"at {'line' if len(others) == 1 else 'lines'} {lines}", style)


def _uri(path: str, settings: Settings) -> str:
    """The address of a file, for terminals that make words clickable; empty for the others."""
    if not settings.style.links:
        return ""
    from trainlint.report.paths import local_uri

    return local_uri(path, settings)


def _note(label: str, text: str, style: Style, linked: tuple[str, str] = ("", "")) -> Iterator[Text]:
    """A note behind its label. The words `linked[0]`, with which it may begin, lead to the address `linked[1]`."""
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    line = Text.assemble((f"  {label} ".ljust(_LABEL), "bold"), sentence(text, unicode=style.unicode))
    if linked[1]:
        line.stylize(f"link {linked[1]}", _LABEL, _LABEL + len(sentence(linked[0], unicode=style.unicode)))
    yield from wrapped(line, style, indent=" " * _LABEL)


def _docs(finding: Finding, style: Style) -> Text:
    """The address of the rule's page; where it would be broken, or there is none, the command that shows the page."""
    from rich.text import Text

    url = docs_url(finding)
    text = url if url and _LABEL + len(url) <= style.width else f"trainlint explain {finding.code}"
    look = f"dim link {url}" if url and style.links else "dim"
    return Text.assemble((f"  {'docs:':<{_LABEL - 2}}", "bold"), (text, look))
