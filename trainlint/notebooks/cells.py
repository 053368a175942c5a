"""The code cells of a notebook as one text, and the map from that text to the cells."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from trainlint.finding import Edit, apply_edits
from trainlint.notebooks.characters import escaped
from trainlint.notebooks.magics import as_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

_LINE_END = re.compile(r"\r\n|\r|\n")
_BETWEEN = "\n\n"
"""What follows each cell: the end of its last line, and an empty line that belongs to no cell."""


@dataclass(frozen=True)
class Cells:
    """Which cell each piece of a notebook's text belongs to.

    The text that is judged has Python in the place of magics, and `written` has the magics; all else is the same, and
    each character has the same offset in both.
    """

    written: str
    numbers: tuple[int, ...]
    """The place of each code cell among all cells of the notebook, counted from 1."""
    starts: tuple[int, ...]
    """The offsets at which the cells begin."""
    foreign: frozenset[int] = frozenset()
    """The numbers of cells whose metadata name another language."""
    file_places: tuple[tuple[int, int], ...] = ()
    """For each line of the text, the line and the column of the file in which it begins. Empty once it is edited."""
    writes_escapes: bool = False
    """Whether the file escapes what is no ASCII."""

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        return (0, *[match.end() for match in _LINE_END.finditer(self.written)])

    @cached_property
    def _first_lines(self) -> tuple[int, ...]:
        """The line of the text, counted from 1, in which each cell begins."""
        return tuple(bisect_left(self._line_starts, start) + 1 for start in self.starts)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """What stands in each cell."""
        return self._pieces(self.written)

    def _pieces(self, text: str) -> tuple[str, ...]:
        """What stands in each cell of a text with the offsets of this one."""
        ends = (*self.starts[1:], len(text))
        return tuple(text[start : end - 1].removesuffix("\n") for start, end in zip(self.starts, ends, strict=False))

    def source_of(self, number: int) -> str | None:
        """What stands in the cell with this number; None where there is no such code cell."""
        return self.sources[self.numbers.index(number)] if number in self.numbers else None

    def at_line(self, line: int) -> tuple[int, int]:
        """The number of the cell that a line of the text stands in, and the line in that cell, counted from 1."""
        index = max(0, bisect_right(self._first_lines, line) - 1)
        return (self.numbers[index], line - self._first_lines[index] + 1) if self.numbers else (1, line)

    def line_written(self, line: int) -> str:
        """A line of the text as the notebook has it, without its line end."""
        start = self._line_starts[line - 1]
        found = _LINE_END.search(self.written, start)
        return self.written[start : found.start() if found else None]

    def at_offset(self, offset: int) -> tuple[int, int]:
        """The number of the cell that an offset of the text lies in, and the offset in that cell."""
        index = max(0, bisect_right(self.starts, offset) - 1)
        return self.numbers[index], offset - self.starts[index]

    def line_in_text(self, number: int, line: int) -> int | None:
        """The line of the text that is this line of this cell; None where there is no such code cell."""
        return self._first_lines[self.numbers.index(number)] + line - 1 if number in self.numbers else None

    def place_in_file(self, number: int, line: int, column: int) -> tuple[int, int]:
        """The line and the column of the file at which a place in a cell is written; (1, 1) where that is not known."""
        source, first = self.source_of(number), self.line_in_text(number, 1)
        if source is None or first is None or not 0 < first + line - 1 <= len(self.file_places):
            return 1, 1
        text = _LINE_END.split(source)[line - 1 : line]
        at, start = self.file_places[first + line - 2]
        before = text[0][: column - 1] if text else ""
        return at, start + len(escaped(before, ascii_only=self.writes_escapes))

    def line_name(self, line: int) -> str:
        """A line of the text as people name it: "cell 3:12"."""
        number, inside = self.at_line(line)
        return f"cell {number}:{inside}"

    def edited(self, edits: Sequence[Edit]) -> Cells:
        """The cells after edits of the text that `refusal` has nothing against."""
        starts = tuple(
            start + sum(len(edit.text) - (edit.stop - edit.start) for edit in edits if edit.stop < start)
            for start in self.starts
        )
        return replace(self, written=apply_edits(self.written, edits), starts=starts, file_places=())

    def refusal(self, text: str, edits: Iterable[Edit]) -> str | None:
        """Why edits of the text that is judged cannot be made in the notebook, as the end of a sentence."""
        for edit in edits:
            if text[edit.start : edit.stop] != self.written[edit.start : edit.stop]:
                return "it would change a magic command"
            if any(edit.start < start <= edit.stop for start in self.starts[1:]) or edit.stop >= len(text):
                return "it would change more than one cell at once"
            line = bisect_right(self._line_starts, edit.start)
            begin, end = self._line_starts[line - 1], self._line_starts[line] if line < len(self._line_starts) else None
            if begin < edit.start and "\n" in edit.text and text[begin:end] != self.written[begin:end]:
                return "it would put lines behind a magic command"
        return None

    def unfinished(self, tree: ast.Module) -> int | None:
        """The number of the first cell whose last statement ends in a later cell; None where each cell is whole."""
        for statement in tree.body:
            last = statement.end_lineno or statement.lineno
            if last > statement.lineno and self.at_line(last)[0] != (first := self.at_line(statement.lineno)[0]):
                return first
        return None

    def is_stable(self, text: str) -> bool:
        """Whether the text that is judged is what the cells would be read as."""
        cells = zip(self.numbers, self.sources, self._pieces(text), strict=True)
        return all(as_python(source, foreign=number in self.foreign) == judged for number, source, judged in cells)


def joined(
    sources: Sequence[tuple[int, str]],
    foreign: frozenset[int] = frozenset(),
) -> tuple[str, Cells]:
    """The cells with these numbers and sources as one text with Python in the place of magics, and the map to them."""
    judged: list[str] = []
    starts: list[int] = []
    at = 0
    for number, source in sources:
        starts.append(at)
        at += len(source) + len(_BETWEEN)
        judged += (as_python(source, foreign=number in foreign), _BETWEEN)
    written = "".join(source + _BETWEEN for _, source in sources)
    text = "".join(judged)
    numbers = tuple(number for number, _ in sources)
    return text, Cells(text if text == written else written, numbers, tuple(starts), foreign)
