"""A fix as the few lines that it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain

from rich.text import Text

from trainlint.finding import Edit, Fix
from trainlint.report.frame import code_width, ellipsis, gutter, row
from trainlint.report.settings import Style
from trainlint.source import SourceFile, source_from_text

_MOST_LINES = 24
"""Longer diffs are cut; `--diff` shows them whole."""
_CLOSE = 2
"""Edits with no more than so many lines between them are shown in one piece."""


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a diff."""

    sign: str
    """"-", "+", or " " for a line that stays."""
    line: int
    """Its number: in the old text for "-", in the new one otherwise, so that numbers rise down the page."""
    text: str


def changes(source: SourceFile, fix: Fix) -> list[list[Change]]:
    """What the fix changes, in pieces that lie apart, with one unchanged line around each where there is one."""
    edits = tuple(edit for edit in fix.edits if edit.stop <= len(source.text))
    if len(edits) < len(fix.edits):
        return []  # the text is no longer the one that was judged
    pieces: list[list[Change]] = []
    shift = 0
    for group in _groups(source, edits):
        first, last = source.position(group[0].start)[0], source.position(group[-1].stop)[0]
        first, last = max(1, first - 1), min(len(source.line_starts), last + 1)
        begin, end = source.line_starts[first - 1], _end_of_line(source, last)
        old = _lines(source.text[begin:end])
        new = _lines(_edited(source.text, group, begin, end))
        pieces += _pieces(old, new, first, shift)
        shift += len(new) - len(old)
    return pieces


def changed_lines(source: SourceFile, fix: Fix) -> frozenset[int] | None:
    """The old lines that a diff shows as taken away, up to where it is cut; None where there is no diff."""
    shown = list(chain.from_iterable(changes(source, fix)))[:_MOST_LINES]
    return frozenset(change.line for change in shown if change.sign == "-") if shown else None


def is_short(source: SourceFile, fix: Fix, most: int) -> bool:
    """Whether the fix takes away and adds no more than so many lines."""
    return sum(map(len, _without_context(changes(source, fix)))) <= most


def _without_context(pieces: list[list[Change]]) -> list[list[Change]]:
    """All that is taken away or added as one piece."""
    return [[change for change in chain.from_iterable(pieces) if change.sign != " "]]


def diff(source: SourceFile, fix: Fix, *, style: Style, digits: int, context: bool = True) -> Iterator[Text]:
    """The changes as lines for the terminal: changed ones folded where the change would not show, others cropped.

    Lines that stay are only shown with their `context`.
    """
    pieces = changes(source, fix) if context else _without_context(changes(source, fix))
    size = code_width(style, digits) - 2
    left_out = sum(map(len, pieces)) - _MOST_LINES
    shown = 0
    for index, piece in enumerate(pieces):
        focus = _first_difference([change for change in piece if change.sign != " "], style)
        if index and shown < _MOST_LINES:
            yield Text(gutter("…" if style.unicode else ":", digits, style), "bright_blue")
        for change in piece:
            shown += 1
            if shown > _MOST_LINES:
                continue
            look = {"-": "red", "+": "green"}.get(change.sign, "dim")
            label = str(change.line)
            whole = row(change.text, style)
            for _, _, text in whole.folded((0, 0) if change.sign == " " else focus, size, ellipsis(style)):
                yield Text.assemble((gutter(label, digits, style), "bright_blue"), (f"{change.sign} {text}", look))
                label = ""
    if left_out > 0:
        more = f"{ellipsis(style)} {left_out} more lines; --diff shows all"
        yield Text.assemble((gutter("", digits, style), "bright_blue"), (more, "dim"))


def last_line(source: SourceFile, fix: Fix) -> int:
    """The greatest line number that the diff can show."""
    old = source.position(min(fix.edits[-1].stop, len(source.text)))[0] + 1
    return old + sum(edit.text.count("\n") for edit in fix.edits)


def _groups(source: SourceFile, edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    group: list[Edit] = []
    for edit in edits:
        if group and source.position(edit.start)[0] - source.position(group[-1].stop)[0] > _CLOSE:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _edited(text: str, edits: Sequence[Edit], begin: int, end: int) -> str:
    parts = []
    for edit in edits:
        parts += [text[begin : edit.start], edit.text]
        begin = edit.stop
    return "".join([*parts, text[begin:end]])


def _pieces(old: list[str], new: list[str], first: int, shift: int) -> Iterator[list[Change]]:
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        piece: list[Change] = []
        for tag, old_start, old_stop, new_start, new_stop in group:
            come = range(new_start, new_stop)
            if tag == "equal":
                piece += [Change(" ", first + shift + index, new[index]) for index in come]
                continue
            piece += [Change("-", first + index, old[index]) for index in range(old_start, old_stop)]
            piece += [Change("+", first + shift + index, new[index]) for index in come]
        while len(piece) > 1 and piece[0].sign == " " and not piece[0].text.strip():
            del piece[0]
        while len(piece) > 1 and piece[-1].sign == " " and not piece[-1].text.strip():
            del piece[-1]
        yield piece


def _first_difference(changed: Sequence[Change], style: Style) -> tuple[int, int]:
    """The cells from the first to the last that differ between the first line taken away and the first one added."""
    gone = next((row(change.text, style).cells for change in changed if change.sign == "-"), ())
    come = next((row(change.text, style).cells for change in changed if change.sign == "+"), ())
    if not (gone and come):
        return (0, 0)
    pairs = list(zip(gone, come, strict=False))
    start = next((index for index, (one, other) in enumerate(pairs) if one != other), len(pairs))
    back = list(zip(reversed(gone), reversed(come), strict=False))
    same = next((index for index, (one, other) in enumerate(back) if one != other), len(back))
    return (start, max(start + 1, max(len(gone), len(come)) - same))


def _end_of_line(source: SourceFile, line: int) -> int:
    return source.line_starts[line] if line < len(source.line_starts) else len(source.text)


def _lines(text: str) -> list[str]:
    """Lines without their ends; only what Python takes for a line end counts as one."""
    source = source_from_text("", text)
    numbers = range(1, len(source.line_starts) + 1)
    lines = [source.line(number) for number in numbers]
    return lines[:-1] if lines and not lines[-1] else lines
