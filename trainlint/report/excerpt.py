"""Lines of source for the HTML page: what stands around a finding, with the spans of findings marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trainlint.finding import Span
from trainlint.report.characters import code
from trainlint.source import SourceFile

_BEFORE, _AFTER = 3, 2
_MOST_LINES = 10
"""A span of more lines shows its beginning and its end."""
WIDEST = 400
"""Characters of a line that are shown. Nobody reads further, and a generated file may have one line of a megabyte."""
_TAB = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a line."""

    text: str
    here: bool = False
    """Whether it is what the finding is about."""
    other: int | None = None
    """The number of another finding that is about it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of source."""

    number: int
    pieces: tuple[Piece, ...]
    gap: bool = False
    """Whether lines are left out before it."""


def excerpt(source: SourceFile, span: Span, others: Iterable[tuple[int, Span]] = ()) -> list[Line]:
    """The lines around a span, with the span marked and, on lines that it leaves free, those of other findings.

    `others` gives the spans of other findings in this file, each with the finding's number. Empty where the text no
    longer has the span's line.
    """
    if span.start_line > len(source.line_starts):
        return []
    by_line: dict[int, list[tuple[int, int, int]]] = {}
    for number, other in others:
        if other.start_line == other.end_line:
            by_line.setdefault(other.start_line, []).append((other.start_column, other.end_column, number))
    lines: list[Line] = []
    for number in _excerpt_lines(source, span):
        text = source.line(number)
        if span.start_line <= number <= span.end_line:
            start = span.start_column if number == span.start_line else len(text) - len(text.lstrip()) + 1
            stop = span.end_column if number == span.end_line else len(text) + 1
            marks: list[tuple[int, int, int | None]] = [(start, stop, None)]
        else:
            marks = [*sorted(by_line.get(number, []))]
        lines.append(Line(number, tuple(_pieces(text, marks)), bool(lines) and number != lines[-1].number + 1))
    indent = _common_indent(["".join(piece.text for piece in line.pieces) for line in lines])
    return [replace(line, pieces=_without_start(line.pieces, indent)) for line in lines]


def printable_source(text: str, column: int = 0) -> str:
    """A piece of source without what could steer anything, tabs as blanks; `column` is where in its line it begins."""
    letters: list[str] = []
    for letter in text:
        if letter == "\t":
            letters.append(" " * (_TAB - (column + sum(map(len, letters))) % _TAB))
        else:
            letters.append(code(letter, unicode=True))
    return "".join(letters)


def without_common_indent(lines: Sequence[str]) -> list[str]:
    """The lines without the blanks that all of them begin with: narrow screens have no room for these."""
    indent = _common_indent(lines)
    return [line[indent:] for line in lines]


def _common_indent(lines: Sequence[str]) -> int:
    return min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)


def _without_start(pieces: tuple[Piece, ...], size: int) -> tuple[Piece, ...]:
    kept: list[Piece] = []
    for piece in pieces:
        kept.append(replace(piece, text=piece.text[size:]))
        size = max(0, size - len(piece.text))
    return tuple(piece for piece in kept if piece.text)


def _excerpt_lines(source: SourceFile, span: Span) -> list[int]:
    last = max(span.start_line, min(span.end_line, len(source.line_starts)))
    if last > span.start_line and span.end_column == 1 and last == span.end_line:
        last -= 1  # a span that ends at the start of a line ends with the line before
    lines = list(range(span.start_line, last + 1))
    if len(lines) > _MOST_LINES:
        lines = lines[: _MOST_LINES - 2] + lines[-2:]
    before = list(range(max(1, span.start_line - _BEFORE), span.start_line))
    after = list(range(last + 1, min(last + _AFTER, len(source.line_starts)) + 1))
    while before and not source.line(before[0]).strip():
        del before[0]
    while after and not source.line(after[-1]).strip():
        del after[-1]
    return before + lines + after


def _pieces(text: str, marks: Sequence[tuple[int, int, int | None]]) -> list[Piece]:
    """The line in pieces. Of marks that overlap, the first counts; those past what is shown are left out."""
    cut = text[:WIDEST]
    pieces: list[Piece] = []
    at = 0
    for start, stop, number in marks:
        begin, end = start - 1, min(stop - 1, len(cut))
        if begin < at or begin >= end:
            continue
        pieces.append(Piece(printable_source(cut[at:begin], at)))
        pieces.append(Piece(printable_source(cut[begin:end], begin), here=number is None, other=number))
        at = end
    pieces.append(Piece(printable_source(cut[at:], at) + ("…" if len(text) > WIDEST else "")))
    return [piece for piece in pieces if piece.text]
