"""A piece of source as it stands in the file: line numbers, the lines around it, carets under the span."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len
from rich.text import Text

from trainlint.finding import Span
from trainlint.report.characters import code
from trainlint.report.settings import Style
from trainlint.source import SourceFile

_LINES_BEFORE = 2
_LINES_AFTER = 1
_MOST_LINES = 8
"""A span of more lines shows its beginning and its end."""
_TAB = 4
_MOST_PIECES = 4
"""A line that is folded into more pieces shows those from the one that matters."""
_LEAST_CODE = 16
"""Columns that code gets even where the terminal is narrower."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of source as terminal cells: a wide character fills two, the second of which is empty."""

    cells: tuple[str, ...]
    starts: tuple[int, ...]
    """The cell at which each character begins, and the end."""

    @property
    def indent(self) -> int:
        """Blank cells at the start."""
        return next((index for index, cell in enumerate(self.cells) if not cell.isspace()), len(self.cells))

    def cell(self, column: int) -> int:
        """The cell of a 1-based column in characters; the end of the line for any column behind it."""
        return self.starts[max(0, min(column - 1, len(self.starts) - 1))]

    def cropped(self, size: int, ellipsis: str) -> str:
        """The first cells, at most `size`, with an ellipsis at the end where some were cut off."""
        return self.piece(0, len(self.cells) if len(self.cells) <= size else size - len(ellipsis)) + (
            ellipsis if len(self.cells) > size else ""
        )

    def piece(self, start: int, stop: int) -> str:
        """The cells [start, stop). Half of a wide character is a blank."""
        cells = list(self.cells[start:stop])
        if cells and cells[0] == "":
            cells[0] = " "
        if stop < len(self.cells) and cells and self.cells[stop] == "":
            cells[-1] = " "
        return "".join(cells)

    def folded(self, focus: tuple[int, int], size: int, ellipsis: str) -> Iterator[tuple[int, int, str]]:
        """The line in pieces of at most `size` cells, up to the cells [focus): the cell at which each begins, its room.

        Where these show in the first piece, that alone, cropped; of many pieces those with the focus, `_MOST_PIECES`
        at most.
        """
        if focus[1] + len(ellipsis) <= size or len(self.cells) <= size:
            yield 0, size, self.cropped(size, ellipsis)
            return
        starts = self._starts(size)
        first = bisect(starts, focus[0]) - 1 if len(starts) > _MOST_PIECES else 0
        end = min(first + _MOST_PIECES, bisect(starts, focus[1] - 1))
        for number, (begin, stop) in enumerate(pairwise([*starts, starts[-1] + size])):
            if first <= number < end:
                left = ellipsis if number == first > 0 else ""
                right = ellipsis if number == end - 1 and stop < len(self.cells) else ""
                yield begin, stop - begin, left + self.piece(begin + len(left), stop - len(right)) + right

    def _starts(self, size: int) -> list[int]:
        """Where pieces begin: behind a blank, where one is near."""
        starts = [0]
        while (stop := starts[-1] + size) < len(self.cells):
            starts.append(next((at for at in range(stop, stop - size // 3, -1) if self.cells[at - 1] == " "), stop))
        return starts


def row(line: str, style: Style) -> Row:
    """The line with tabs as blanks and nothing in it that could steer the terminal."""
    if line.isascii() and line.isprintable():
        return Row(tuple(line), tuple(range(len(line) + 1)))
    cells: list[str] = []
    starts: list[int] = []
    for character in line:
        starts.append(len(cells))
        if character == "\t":
            cells += " " * (_TAB - len(cells) % _TAB)
            continue
        shown, width = code(character, unicode=style.unicode), cell_len(character)
        if shown != character:
            cells += shown * max(width, 1)
        elif width == 0:
            cells.append(cells.pop() + shown if cells else f" {shown}")
        else:
            cells += [shown, *[""] * (width - 1)]
    return Row(tuple(cells), (*starts, len(cells)))


def code_width(style: Style, digits: int) -> int:
    """Columns left for code beside a gutter with line numbers of so many digits."""
    return max(style.width - len(gutter("", digits, style)), _LEAST_CODE)


def gutter(label: str, digits: int, style: Style) -> str:
    """What stands left of the code."""
    return f"  {label:>{digits}} {'│' if style.unicode else '|'} "


def ellipsis(style: Style) -> str:
    """What stands where something was left out."""
    return "…" if style.unicode else "..."


def frame_line(source: SourceFile, span: Span, *, style: Style, digits: int, accent: str) -> Iterator[Text]:
    """The first line of a span alone, and carets under it. Of a long line, the piece with the span."""
    number = span.start_line
    whole, size, cut = row(source.line(number), style), code_width(style, digits), ellipsis(style)
    start = whole.cell(span.start_column)
    stop = whole.cell(span.end_column) if span.end_line == number else len(whole.cells)
    left = min(whole.indent, start) if len(whole.cells) > size else 0
    if min(stop, start + size // 2) - left > size - len(cut):
        left = start - size // 3
    before = cut if left > whole.indent else ""
    after = cut if len(whole.cells) - left > size else ""
    text = before + whole.piece(left + len(before), left + size - len(after)) + after
    yield _line(str(number), digits, style, Text(), text)
    if (below := _Carets(accent, number).below(number, start - left, stop - left, size - len(after))) is not None:
        yield _line("", digits, style, below, "")


def frame(source: SourceFile, span: Span, *, style: Style, digits: int, accent: str) -> Iterator[Text]:
    """The lines of a code frame. Carets and brackets are painted in the Rich style `accent`."""
    first, last = span.start_line, _last_line(source, span)
    shown = _shown_lines(source, first, last)
    rows = {number: row(source.line(number), style) for number in shown}
    several = last > first
    size = code_width(style, digits) - (2 if several else 0)
    start, stop = rows[first].cell(span.start_column), rows[last].cell(span.end_column)
    if last < span.end_line:
        stop = len(rows[last].cells)
    marks = _Brackets(style, accent, first, last, rows[first].indent == start) if several else _Carets(accent, first)
    previous = shown[0] - 1
    for number in shown:
        if number != previous + 1:
            yield _line("", digits, style, marks.inside(), ellipsis(style), "dim")
        previous = number
        label = str(number)
        folded = number == first and not several
        focus = (start, max(stop, start + 1)) if folded else (0, 0)
        for left, room, text in rows[number].folded(focus, size, ellipsis(style)):
            yield _line(label, digits, style, marks.beside(number), text)
            label = ""
            below = marks.below(number, start - left, stop - left, room)
            if below is not None:
                yield _line("", digits, style, below, "")


@dataclass(frozen=True, slots=True)
class _Carets:
    """What marks a span in one line: carets under it."""

    accent: str
    line: int

    def inside(self) -> Text:
        return Text()

    def beside(self, number: int) -> Text:
        return Text()

    def below(self, number: int, start: int, stop: int, size: int) -> Text | None:
        """What stands under a line, or a piece of it; `start` and `stop` are cells of these `size` cells."""
        if number != self.line or start >= size or (stop <= 0 and start < 0):
            return None
        begin = max(start, 0)
        return Text.assemble(" " * begin, ("^" * max(min(stop, size) - begin, 1), self.accent))


@dataclass(frozen=True, slots=True)
class _Brackets:
    """What marks a span of several lines: a bar beside them, from its first character to its last."""

    style: Style
    accent: str
    first: int
    last: int
    flush: bool
    """Whether the span begins with its line's first character, so that the bar can begin beside it."""

    def beside(self, number: int) -> Text:
        if number == self.first:
            return Text(("╭ " if self.style.unicode else "/ ") if self.flush else "  ", self.accent)
        return self.inside() if self.first < number <= self.last else Text("  ")

    def below(self, number: int, start: int, stop: int, size: int) -> Text | None:
        """What stands under a line, or a piece of it; `start` and `stop` are cells of these `size` cells."""
        if number == self.first and not self.flush:
            return self.opening(max(min(start, size - 1), 0))
        return self.closing(max(min(stop, size) - 1, 0)) if number == self.last else None

    def inside(self) -> Text:
        return Text("│ " if self.style.unicode else "| ", self.accent)

    def opening(self, cell: int) -> Text:
        corner, rule = ("╭", "─") if self.style.unicode else ("/", "_")
        return Text(f"{corner}{rule * (cell + 1)}^", self.accent)

    def closing(self, cell: int) -> Text:
        corner, rule = ("╰", "─") if self.style.unicode else ("\\", "_")
        return Text(f"{corner}{rule * (cell + 1)}^", self.accent)


def _line(label: str, digits: int, style: Style, margin: Text, text: str, look: str = "") -> Text:
    return Text.assemble((gutter(label, digits, style), "bright_blue"), margin, (text, look))


def _last_line(source: SourceFile, span: Span) -> int:
    """A span that ends at the start of a line ends with the line before."""
    if span.end_line > span.start_line and span.end_column == 1:
        return span.end_line - 1
    return max(span.start_line, min(span.end_line, len(source.line_starts)))


def _shown_lines(source: SourceFile, first: int, last: int) -> list[int]:
    lines = list(range(first, last + 1))
    if len(lines) > _MOST_LINES:
        lines = lines[: _MOST_LINES // 2] + lines[-2:]
    before = list(range(max(1, first - _LINES_BEFORE), first))
    after = list(range(last + 1, min(last + _LINES_AFTER, len(source.line_starts)) + 1))
    while before and not source.line(before[0]).strip():
        del before[0]
    while after and not source.line(after[-1]).strip():
        del after[-1]
    return before + lines + after
