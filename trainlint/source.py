"""A file's text as read: decoded once, with the way back to bytes and from offsets to lines."""

from __future__ import annotations

import codecs
import io
import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from trainlint.finding import Span, apply_edits
from trainlint.notebooks import is_notebook

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from trainlint.finding import Edit
    from trainlint.notebooks.cells import Cells

_LINE_END = re.compile(r"\r\n|\r|\n")


_HALF = "it holds half of a surrogate pair, which is no character"
_MOST_CHARACTERS = 5_000_000
"""The most code of a notebook that is judged, as of one Python file (`trainlint/bounded.py`)."""


class UnreadableSource(Exception):
    """The bytes are not Python text. The message is a sentence for people."""


class OtherLanguage(UnreadableSource):
    """A notebook whose kernel runs another language: it is left alone, and that is no failure."""


@dataclass(frozen=True)
class SourceFile:
    """One Python file. `text` keeps the file's own line ends; offsets everywhere count its characters.

    Of a notebook, `text` is the code of its cells as one module, with Python in the place of magics, and `cells` says
    where each piece of it stands. `trainlint/notebooks/` makes both.
    """

    path: str
    """As shown to the user."""
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    cells: Cells | None = None
    """None of a file that is no notebook."""

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Where each line begins. Only what is shown or rewritten asks."""
        if "\r" not in self.text:  # nearly always, and four times as fast
            lengths = [len(line) + 1 for line in self.text.split("\n")]
            return tuple(accumulate(lengths[:-1], initial=0))
        return (0, *[match.end() for match in _LINE_END.finditer(self.text)])

    def encode(self, text: str) -> bytes:
        """Bytes of `text` in this file's own encoding, with its byte order mark where it had one."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)

    def content(self, before: bytes) -> bytes:
        """The bytes of the whole file. `before` are those that it was read from: a notebook is more than its code."""
        if self.cells is None:
            return self.encode(self.text)
        from trainlint.notebooks.writing import with_cells

        return self.encode(with_cells(_without_bom(before).decode(self.encoding), self.cells))

    def edited(self, edits: Sequence[Edit]) -> SourceFile:
        """The file after edits of its text, as after a fix."""
        return replace(self, text=apply_edits(self.text, edits), cells=self.cells.edited(edits) if self.cells else None)

    def cell(self, number: int) -> SourceFile | None:
        """One cell of a notebook, as it is written there, as a file of its own; None where there is no such cell."""
        source = self.cells.source_of(number) if self.cells else None
        return None if source is None else SourceFile(self.path, source)

    def line_name(self, number: int) -> str:
        """A line as people name it: "line 88", or "cell 3:12" in a notebook."""
        return self.cells.line_name(number) if self.cells else f"line {number}"

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
        start = self.line_starts[node.lineno - 1]
        if self.text[start : start + node.col_offset].isascii():
            return node.col_offset + 1
        return self.offset(node.lineno, node.col_offset) - start + 1

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

    Raises UnreadableSource for an unknown encoding, bytes that do not fit it, a binary file or a broken notebook, and
    OtherLanguage for a notebook whose kernel does not run Python.
    """
    source = _decode_notebook(path, data) if is_notebook(path) else _decode_python(path, data)
    if not source.text.isascii():
        try:
            source.text.encode("utf-8")
        except UnicodeEncodeError as error:  # written as escapes in JSON, or in an encoding that knows them
            raise UnreadableSource(f"{_HALF} ({error}); correct it or exclude it") from error
    return source


def _decode_python(path: str, data: bytes) -> SourceFile:
    if b"\0" in data:
        raise UnreadableSource("it holds NUL bytes, so it is no Python text; exclude it or save it as UTF-8")
    head = b"".join(data.split(b"\n", 2)[:2])  # PEP 263 lets no other line speak of an encoding
    encoding = "utf-8" if head.isascii() and b"coding" not in head else _declared_encoding(data)
    bom = data.startswith(codecs.BOM_UTF8)
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    try:
        text = data[len(codecs.BOM_UTF8) if bom else 0 :].decode(codec)
        if codec != "utf-8":
            text.encode(codec)  # a fix has to be written
    except Exception as error:  # what the codecs of Python raise has no common class
        raise UnreadableSource(
            f"it does not decode as {codec} ({error}); save it as UTF-8 or correct its coding line"
        ) from error
    return source_from_text(path, text, encoding=codec, bom=bom)


def _decode_notebook(path: str, data: bytes) -> SourceFile:
    from trainlint.notebooks.document import OtherKernel, UnreadableNotebook
    from trainlint.notebooks.reading import read_notebook

    try:
        text, cells = read_notebook(_without_bom(data).decode("utf-8"))
    except UnicodeError as error:
        raise UnreadableSource(f"it is no UTF-8 ({error}), so it is no notebook; correct it or exclude it") from error
    except OtherKernel as error:
        raise OtherLanguage(str(error)) from error
    except UnreadableNotebook as error:
        raise UnreadableSource(str(error)) from error
    if len(text) > _MOST_CHARACTERS:
        raise UnreadableSource(
            f"its cells hold more than {_MOST_CHARACTERS // 1_000_000} MB of code, the most that trainlint reads of "
            "one file; exclude it"
        )
    return SourceFile(path, text, bom=data.startswith(codecs.BOM_UTF8), cells=cells)


def _without_bom(data: bytes) -> bytes:
    return data.removeprefix(codecs.BOM_UTF8)


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
