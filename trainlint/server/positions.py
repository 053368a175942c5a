"""Places as editors count them: lines and columns from 0, columns in units of UTF-16 or of what was agreed on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from trainlint.finding import Span
    from trainlint.source import SourceFile

_WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""Bytes of a unit."""


class Positions:
    """Converts the places of one text."""

    def __init__(self, source: SourceFile, encoding: str = "utf-16") -> None:
        """`encoding` is that of columns, as the protocol names it."""
        self._source = source
        self._encoding = encoding

    def position(self, line: int, column: int) -> lsp.Position:
        """A place of ours: line and column from 1, columns in characters."""
        before = self._source.line(line)[: column - 1]
        units = len(before) if before.isascii() else self._units(before)
        return lsp.Position(line - 1, units)

    def at(self, offset: int) -> lsp.Position:
        """The place of a character."""
        return self.position(*self._source.position(offset))

    def range(self, span: Span) -> lsp.Range:
        """A piece of the text."""
        return lsp.Range(
            self.position(span.start_line, span.start_column), self.position(span.end_line, span.end_column)
        )

    def _units(self, text: str) -> int:
        codec = "utf-8" if self._encoding == "utf-8" else f"{self._encoding}-le"
        return len(text.encode(codec)) // _WIDTH[self._encoding]


def touch(one: lsp.Range, other: lsp.Range) -> bool:
    """Whether two ranges have a place in common, be it their ends."""
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: lsp.Position) -> tuple[int, int]:
    return position.line, position.character
