"""The JSON of a notebook: its code cells, and where in the text their sources stand.

Outputs are decoded one cell at a time and dropped, so a notebook with megabytes of them takes little memory for long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder

from trainlint.bounded import TooManyValues, check_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 4
"""The major version of the notebook format. Files of version 3 and before keep their cells in worksheets."""

MOST_VALUES = 5_000_000
"""The most values of a notebook with its outputs. Plots hold lists of numbers, of ten bytes of text each: as many as
the 50 MB that are read of a notebook hold. Those of one cell at a time are in memory."""

_Source = tuple[str, int, int, tuple[tuple[int, int], ...], bool]
"""The fields of a CodeCell that its source gives."""
_DECODER = JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


class UnreadableNotebook(Exception):
    """The text is no notebook that trainlint reads. The message is a sentence for people."""


class OtherKernel(UnreadableNotebook):
    """The code of the notebook is in another language than Python."""


@dataclass(frozen=True, slots=True)
class CodeCell:
    """A code cell as it stands in the file."""

    number: int
    """Its place among all cells of the notebook, counted from 1."""
    source: str
    start: int
    stop: int
    """Where the value of `source` begins and ends in the text of the file."""
    strings: tuple[tuple[int, int], ...]
    """The same of the JSON strings that it is made of, quotes included."""
    listed: bool
    """Whether the source is a list of strings; otherwise it is one string."""
    foreign: bool = False
    """Whether the metadata of the cell name another language."""


def read_document(text: str) -> tuple[CodeCell, ...]:
    """The code cells of a notebook in their order.

    Raises OtherKernel for a notebook in another language, and UnreadableNotebook where it is broken, nested too deeply
    or of an old format.
    """
    try:
        check_values(text, MOST_VALUES)
        return _Reader(text).notebook()
    except TooManyValues as error:
        raise UnreadableNotebook(f"{error}; clear its outputs or exclude it") from error
    except ValueError as error:  # besides JSONDecodeError, a number of thousands of digits
        raise UnreadableNotebook(
            f"it is no valid JSON ({error}), so it is no notebook; correct it or exclude it"
        ) from error
    except (RecursionError, MemoryError) as error:
        raise UnreadableNotebook("it is nested too deeply to be read; exclude it") from error


class _Reader:
    """Walks through the two upper levels of a notebook; what lies deeper is left to Python's decoder."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def notebook(self) -> tuple[CodeCell, ...]:
        cells: tuple[CodeCell, ...] | None = None
        metadata: object = None
        version: object = None
        if self.next() != "{":
            self.value()
            self.end()
            raise UnreadableNotebook("it holds no JSON object, so it is no notebook; correct it or exclude it")
        for key in self.members():
            if key == "cells" and self.next() == "[":
                cells = tuple(self.cells())
            elif key == "metadata":
                metadata = self.value()
            elif key == "nbformat":
                version = self.value()
            else:
                self.value()
        self.end()
        if isinstance(version, int) and version < FORMAT:
            raise UnreadableNotebook(
                f"it is a notebook of format {version}, and trainlint reads format {FORMAT}; "
                "convert it with `jupyter nbconvert --to notebook --inplace`, or exclude it"
            )
        if cells is None:
            raise UnreadableNotebook("it has no list of cells, so it is no notebook; correct it or exclude it")
        if not _is_python(metadata):
            raise OtherKernel("its kernel runs another language than Python, so it is not judged")
        return cells

    def cells(self) -> Iterator[CodeCell]:
        for number, _ in enumerate(self.items(), 1):
            if self.next() != "{":
                self.value()
                raise _broken(number, "is no JSON object")
            kind: object = None
            language: object = None
            source: _Source | None = None
            for key in self.members():
                if key == "source":
                    source = self.source(number)
                elif key == "cell_type":
                    kind = self.value()
                elif key == "metadata":
                    language = _named(self.value(), "vscode", "languageId")
                else:
                    self.value()
            if kind == "code":
                if source is None:
                    raise _broken(number, "has no source")
                yield CodeCell(number, *source, foreign=language not in (None, "python"))

    def source(self, number: int) -> _Source:
        listed = self.next() == "["
        begin = self.at
        texts: list[str] = []
        strings: list[tuple[int, int]] = []
        for _ in self.items() if listed else (None,):
            self.next()
            start = self.at
            text = self.value()
            if not isinstance(text, str):
                raise _broken(number, "has a source that is no text")
            texts.append(text)
            strings.append((start, self.at))
        return "".join(texts), begin, self.at, tuple(strings), listed

    def members(self) -> Iterator[str]:
        """The keys of the object that begins here. Whoever takes a key reads its value before the next key."""
        for _ in self.items(closing="}"):
            if self.next() != '"':
                raise JSONDecodeError("Expecting property name enclosed in double quotes", self.text, self.at)
            key = self.value()
            self.expect(":")
            yield key

    def items(self, closing: str = "]") -> Iterator[None]:
        """One turn for each item of the list, or member of the object, that begins here; each is read in its turn."""
        self.at += 1
        if self.next() == closing:
            self.at += 1
            return
        while True:
            yield
            if self.next() == closing:
                self.at += 1
                return
            self.expect(",")

    def value(self) -> Any:
        self.next()
        value, self.at = _DECODER.raw_decode(self.text, self.at)
        return value

    def next(self) -> str:
        """The next character that is no white space; empty at the end."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None  # it matches nothing, too
        self.at = found.end()
        return self.text[self.at : self.at + 1]

    def expect(self, character: str) -> None:
        if self.next() != character:
            raise JSONDecodeError(f"Expecting {character!r} delimiter", self.text, self.at)
        self.at += 1

    def end(self) -> None:
        if self.next():
            raise JSONDecodeError("Extra data", self.text, self.at)


def _broken(number: int, how: str) -> UnreadableNotebook:
    return UnreadableNotebook(f"cell {number} {how}, so it is no notebook; correct it or exclude it")


def _is_python(metadata: object) -> bool:
    """Whether the kernel is one of Python. Notebooks that name no language are taken for Python, as Jupyter does."""
    names = (
        _named(metadata, "language_info", "name"),
        _named(metadata, "kernelspec", "language"),
        _named(metadata, "kernelspec", "name"),
    )
    named = next((name for name in names if isinstance(name, str) and name), "python")
    return "python" in named.lower()


def _named(data: object, *keys: str) -> object:
    """What stands below some keys in dicts; None where there is nothing."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data
