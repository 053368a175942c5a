"""A file's text as read: decoded once, with the way back to bytes and from offsets to lines."""

from __future__ import annotations

import codecs
import io
import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property

from trainlint.finding import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

_LINE_END = re.compile(r"\r\n|\r|\n")


class UnreadableSource(Exception):
    """The bytes are not Python text. The message is a sentence for people."""


@dataclass(frozen=True)
class SourceFile:
    """One Python file. `text` keeps the file's own line ends; offsets everywhere count its characters."""

    path: str
    """As shown to the user."""
    text: str
    encoding: str = "utf-8"
    bom: bool = False

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Where each line begins. Only what is shown or rewritten asks."""
        return (0, *[match.end() for match in _LINE_END.finditer(self.text)])

    def encode(self, text: str) -> bytes:
        """Bytes of `text` in this file's own encoding, with its byte order mark where it had one."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)

    def with_text(self, text: str) -> SourceFile:
        """The file with another text, as after a fix."""
        return replace(self, text=text)

    def line(self, number: int) -> str:
        """The text of a 1-based line without its line end; empty past the end of the file."""
        if not 1 <= number <= len(self.line_starts):
            return ""
        stop = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[number - 1] : stop].rstrip("\r\n")

    def offset(self, line: int, utf8_column: int) -> int:
        """The character offset of an `ast` position: a 1-based line and a 0-based column in UTF-8 bytes."""
        start = self.line_starts[line - 1]
        text = self.line(line)
        if text.isascii():
            return start + utf8_column
        return start + len(text.encode("utf-8")[:utf8_column].decode("utf-8", "ignore"))

    def column(self, node: ast.expr) -> int:
        """The 1-based column, in characters, in which an expression begins."""
        if self._is_ascii:
            return node.col_offset + 1
        return self.offset(node.lineno, node.col_offset) - self.line_starts[node.lineno - 1] + 1

    @cached_property
    def _is_ascii(self) -> bool:
        return self.text.isascii()

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and 1-based column, in characters, of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def span(self, start: int, stop: int) -> Span:
        """The span of the characters [start, stop)."""
        return Span(*self.position(start), *self.position(stop))

    @property
    def newline(self) -> str:
        """The file's own line end: that of its first line, or a line feed."""
        match = _LINE_END.search(self.text)
        return match.group() if match else "\n"


def decode_source(path: str, data: bytes) -> SourceFile:
    """Decode a Python file by its byte order mark and coding cookie (PEP 263).

    Raises UnreadableSource for an unknown encoding, bytes that do not fit it, or a binary file.
    """
    if b"\0" in data:
        raise UnreadableSource("it holds NUL bytes, so it is no Python text; exclude it or save it as UTF-8")
    head = b"".join(data.split(b"\n", 2)[:2])  # PEP 263 lets no other line speak of an encoding
    encoding = "utf-8" if head.isascii() and b"coding" not in head else _declared_encoding(data)
    bom = data.startswith(codecs.BOM_UTF8)
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    try:
        text = data[len(codecs.BOM_UTF8) if bom else 0 :].decode(codec)
    except (UnicodeError, LookupError) as error:  # some codecs raise no UnicodeDecodeError
        raise UnreadableSource(
            f"it does not decode as {codec} ({error}); save it as UTF-8 or correct its coding line"
        ) from error
    return source_from_text(path, text, encoding=codec, bom=bom)


def _declared_encoding(data: bytes) -> str:
    import tokenize  # takes longer to import than a file to read

    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        raise UnreadableSource(
            f"its encoding cannot be told ({error}); save it as UTF-8 or correct its coding line"
        ) from error


def source_from_text(path: str, text: str, *, encoding: str = "utf-8", bom: bool = False) -> SourceFile:
    """A SourceFile of text that is already decoded."""
    return SourceFile(path, text, encoding, bom)
