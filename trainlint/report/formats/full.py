"""For people at a terminal: what is wrong, where, the code, what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trainlint.finding import OFTEN, Edit, Finding, Fix, Heat, Report, Safety, Severity
from trainlint.handbook import FIX_FLAGS, docs_url
from trainlint.report.characters import quoted, sentence
from trainlint.report.settings import Settings, Sources, Style
from trainlint.report.words import (
    count,
    failure_sentence,
    heat_note,
    level_words,
    line_name,
    place_text,
    summary,
    without_frequency,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.text import Text

    from trainlint.catalogue import AnyRule
    from trainlint.report.groups import Group
    from trainlint.source import SourceFile

_ACCENTS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.ADVICE: "bold cyan"}
_CAUTION = {
    Safety.SAFE: "safe",
    Safety.NUMERICS: "numerics: other rounding, order or random numbers",
    Safety.UNSAFE: "unsafe: needs your judgement",
}
_MOST_CHANGES = 6
"""Lines of a diff that is shown without --verbose."""
_MOST_STEPS = 3
"""Of a longer chain, its ends are shown without --verbose."""
_LABELS = {Heat.STEP: "step:", Heat.INNER: "step:", Heat.EVAL_STEP: "eval:"}
"""What stands before the chain of a line that runs in each step."""
_MOST_RELATED = 3
"""How many related places are listed."""
_MOST_IN_FULL = 20
"""Of more groups, only the dearest are shown in full without --verbose."""
_DEAREST = 10
_MOST_IN_A_LINE = 50
"""Of the others, only so many get a line of their own; then files are counted."""
_MOST_FILES = 10
"""Of these files, only those with the most problems are named."""
_LABEL = 8
"""Columns of the labels left of the notes."""


def render(report: Report, *, sources: Sources, rules: Sequence[AnyRule], settings: Settings, **_unused: object) -> str:
    """A paragraph for each group of findings that one change cures, then what could not be judged, counts, and what
    to do next.
    """
    style = settings.style
    if not report.findings and not report.failures:
        # Without Rich, which takes longer to import than a clean file to judge.
        said = sentence(summary(report, rules=len(rules)), unicode=style.unicode)
        return f"{said}\n" if settings.summary else ""
    from trainlint.report.terminal import as_written

    return as_written(_lines(report, sources, settings), style)


def _lines(report: Report, sources: Sources, settings: Settings) -> Iterator[Text]:
    from rich.text import Text

    from trainlint.report.groups import groups_of
    from trainlint.report.measured import stale_sentences
    from trainlint.report.one import as_one
    from trainlint.report.terminal import wrapped

    style = settings.style
    documented: set[str] = set()
    advised: dict[str, str] = {}
    groups = groups_of(report, by_path=settings.by_path)
    in_full = groups if settings.verbose or settings.by_path or len(groups) <= _MOST_IN_FULL else groups[:_DEAREST]
    for group in in_full:
        finding = as_one(group)
        if not settings.verbose:
            finding = _advised_once(_short(finding), advised)
        yield from _paragraph(group, finding, sources(finding.path), report, settings)
        if settings.verbose and finding.code not in documented:
            documented.add(finding.code)
            yield _docs(finding, style)
        yield Text()
    yield from _in_a_line_each(groups[len(in_full) :], settings)
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
        from trainlint.report.next_steps import end

        yield from wrapped(Text(sentence(summary(report), unicode=style.unicode), "bold"), style)
        yield from end(report, groups, settings)


def _in_a_line_each(groups: Sequence[Group], settings: Settings) -> Iterator[Text]:
    """The groups that are not shown in full, and how to see all of them."""
    from rich.text import Text

    from trainlint.report.next_steps import in_a_line

    if groups:
        yield Text(f"{len(groups)} more, in a line each (`--verbose` shows all):", "bold")
        for group in groups[:_MOST_IN_A_LINE]:
            yield in_a_line("  ", group, settings)
        yield from _by_file(groups[_MOST_IN_A_LINE:], settings)
        yield Text()


def _by_file(groups: Sequence[Group], settings: Settings) -> Iterator[Text]:
    """How many of these groups each file has: the files with the most first, the last ones together."""
    from rich.text import Text

    from trainlint.report.next_steps import cropped

    by_file = Counter(group.first.path for group in groups)
    named = by_file.most_common(_MOST_FILES)
    for path, number in named:
        codes = Counter(group.first.code for group in groups if group.first.path == path)
        words = ", ".join(f"{code} {times}" for code, times in codes.most_common())
        yield cropped(f"  {quoted(path)}: {number} more ({words})", settings.style)
    if len(by_file) > len(named):
        left = len(groups) - sum(number for _, number in named)
        yield Text(f"  {count(len(by_file) - len(named), 'further file')}: {left} more")


def _paragraph(
    group: Group, finding: Finding, source: SourceFile | None, report: Report, settings: Settings
) -> Iterator[Text]:
    """A group, shown as this finding."""
    from trainlint.report.measured import measured_note_of

    style, verbose, fix = settings.style, settings.verbose, finding.fix
    yield from _heading(finding, _ACCENTS[finding.severity], settings)
    if source and finding.cell is not None:
        yield from _code_in_cells(finding, source, settings)
    elif source:
        yield from _code(finding, fix, source, settings)
    measured = ("measured:", measured_note_of(report, group.findings))
    if verbose:
        cure = f"{fix.title} ({_CAUTION[fix.safety]}; apply with {FIX_FLAGS[fix.safety]})" if fix else ""
        notes = [("help:", finding.help), ("note:", heat_note(finding)), measured, ("fix:", cure)]
    else:
        cure = f"{finding.help or fix.title} ({FIX_FLAGS[fix.safety]})" if fix else ""
        notes = [("fix:", cure) if fix else ("help:", finding.help), _runs(finding), measured]
    for label, words in notes:
        if words:
            yield from _note(label, words, style)
    yield from _of_other_rules(group, style)
    if verbose:
        yield from _related(group, finding, settings)


def _short(finding: Finding) -> Finding:
    """The finding without what a note below says again: how often the line runs."""
    return replace(finding, message=without_frequency(finding)) if finding.chain else finding


def _advised_once(finding: Finding, advised: dict[str, str]) -> Finding:
    """The finding with its help, or with the place above that has the same; `advised` remembers where that is."""
    if finding.help in advised and not finding.fix:
        return replace(finding, help=f"as at {advised[finding.help]}")
    if finding.help:
        line = line_name(finding.span.start_line, finding.cell).removeprefix("line ")
        advised[finding.help] = f"{quoted(finding.path)}:{line}"
    return finding


def _runs(finding: Finding) -> tuple[str, str]:
    """How often the line runs, as a label, and the chain of calls: of a long one its ends, each file named once."""
    chain = _chain(finding)
    label = _LABELS.get(finding.heat)
    if label is None or not chain:
        note = heat_note(replace(finding, chain=())).removeprefix("runs ")
        said = finding.message.endswith(OFTEN.get(finding.heat, "\n"))
        return "runs:", ": ".join(part for part in ("" if said else note, chain) if part)
    return label, f"several times: {chain}" if finding.heat is Heat.INNER else chain


def _chain(finding: Finding) -> str:
    """The steps: of many the ends, and a file only where it is another one than that of the step before."""
    is_long = len(finding.chain) > _MOST_STEPS
    steps, before = list[str](), finding.path
    for step in (finding.chain[0], finding.chain[-1]) if is_long else finding.chain:
        place, _, said = step.partition(": ")
        named, _, line = place.removeprefix("line ").rpartition(":")
        path = named or finding.path
        if line.isdecimal():
            step = f"line {line}: {said}" if path == before else f"{path}:{line}: {said}"
            before = path
        steps.append(step)
    return (" → … → " if is_long else " → ").join(steps)


def _of_other_rules(group: Group, style: Style) -> Iterator[Text]:
    """What rules besides that of the first finding say of the group, a note each."""
    told = {group.first.code}
    for finding in group.findings:
        if finding.code not in told:
            told.add(finding.code)
            at = line_name(finding.span.start_line, finding.cell)
            yield from _note("also:", f"{at}: {finding.code} {finding.message}", style)


def _related(group: Group, shown: Finding, settings: Settings) -> Iterator[Text]:
    """The first further places of the defect, a note each, and how many more there are; none that the chain names."""
    chain = [step for finding in group.findings for step in finding.chain]
    places = [
        related
        for related in shown.related
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


def _code(finding: Finding, fix: Fix | None, source: SourceFile, settings: Settings) -> Iterator[Text]:
    """The diff of the fix; before it the frame of the finding, unless the diff shows the same line."""
    from rich.text import Text

    from trainlint.report.diff import changed_lines, diff, last_line
    from trainlint.report.frame import frame, frame_line

    span, style = finding.span, settings.style
    digits = len(str(max(span.end_line + 1, last_line(source, fix) if fix and fix.edits else 0)))
    shown = _shown_fix(fix, source, settings)
    changed = changed_lines(source, shown) if shown else None
    parts: list[Iterable[Text]] = []
    if span.start_line <= len(source.line_starts) and span.start_line not in (changed or ()):
        show = frame if settings.verbose else frame_line
        parts.append(show(source, span, style=style, digits=digits, accent=_ACCENTS[finding.severity]))
    if shown and changed is not None:
        parts.append(diff(source, shown, style=style, digits=digits, context=settings.verbose))
    spaced = [Text()] if settings.verbose and parts else []
    yield from spaced
    for part in parts:
        yield from (*part, *spaced)


def _shown_fix(fix: Fix | None, source: SourceFile, settings: Settings) -> Fix | None:
    """The fix, where its diff is to be shown."""
    from trainlint.report.diff import is_short

    return fix if fix and (settings.verbose or is_short(source, fix, _MOST_CHANGES)) else None


def _code_in_cells(finding: Finding, source: SourceFile, settings: Settings) -> Iterator[Text]:
    """The same in a notebook: the cell of the finding, then the diffs of other cells that the fix changes."""
    from rich.text import Text

    from trainlint.report.diff import diff, last_line

    fix, style = finding.fix, settings.style
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
            yield from _code(finding, part, cell, settings)
        elif part is not None:
            yield Text.assemble(
                ("  --> ", "bright_blue"), sentence(f"{quoted(finding.path)}:cell {number}", unicode=True)
            )
            yield from diff(cell, part, style=style, digits=len(str(last_line(cell, part))))
            yield Text()


def _heading(finding: Finding, accent: str, settings: Settings) -> Iterator[Text]:
    """What is wrong, then where. The place stands on a line of its own, so that it stays in one piece."""
    from rich.text import Text

    from trainlint.report.terminal import wrapped

    style = settings.style
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
    at = Text.assemble(("  --> ", "bright_blue"), (shown, f"link {uri}" if uri else ""))
    name = Text(f"  {finding.name}", "dim")
    yield at + name if at.cell_len + name.cell_len <= style.width else at


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
