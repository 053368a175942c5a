"""The events of a trace one after another, with little of the file in memory at a time.

A file may unpack to a thousand times its size, and values take up to twenty-five times the memory of their text.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from trainlint.bounded import TRACE_BYTES, open_ordinary

_AT_ONCE = 1_000_000
"""So many bytes are read and unpacked at a time."""
MOST_CHARACTERS = 2_000_000
"""The most of one event, and of all that stands around the events. Real ones have at most some ten thousand, with the
stack of a call."""
_NEAR_THE_END = 20
"""Within so many characters of the end of what was read, an error may only mean that a number or word goes on."""
_LIST_OF_EVENTS = re.compile(r'"traceEvents"\s*:\s*\[')
_BARE_LIST = re.compile(r"\s*\[")
_BETWEEN = re.compile(r"[\s,]*")


class TooLarge(Exception):
    """What is larger than any profiler writes; the message says what, as the end of a sentence."""


class NoList(Exception):
    """JSON without a list of events."""


class BrokenJson(Exception):
    """Text that is no JSON. Its arguments are a reason and the place, in characters."""


class EventStream:
    """A trace that is being read. Everything raises OSError, EOFError and zlib.error as reading and unpacking do."""

    def __init__(self, path: Path) -> None:
        """`path` names a file, gzipped or not."""
        self.about: Mapping[str, Any] = {}
        """What stands around the events. Known when all events have been read."""
        self._path = path

    def events(self) -> Iterator[object]:
        """The events in their order.

        Raises TooLarge, NoList, BrokenJson, RecursionError where it is nested too deeply, and ValueError for a number
        of thousands of digits.
        """
        with _Text(self._path) as text:
            try:
                yield from self._events(text)
            except json.JSONDecodeError as error:
                raise BrokenJson(error.msg, text.passed + error.pos) from error

    def _events(self, text: _Text) -> Iterator[object]:
        bare, at = text.opening()
        head = "" if bare else text.text[:at]
        # One event at a time: all of them as dicts would take five times the memory of what is kept of them.
        decode = json.JSONDecoder(strict=False).raw_decode
        while True:
            at = _BETWEEN.match(text.text, at).end()  # type: ignore[union-attr]  # the pattern also matches nothing
            if text.text[at : at + 1] == "]":
                break
            try:
                event, end = decode(text.text, at)
            except json.JSONDecodeError as error:
                if text.ended or not _may_go_on(error, len(text.text)):
                    raise
                end = len(text.text)
            if end == len(text.text) and not text.ended:
                text.read_on(at, "in one event")
                at = 0
                continue
            yield event
            at = end
        if not bare:
            tail = text.rest(at)
            if len(head) + len(tail) > MOST_CHARACTERS:
                raise TooLarge(_more_than("besides its events"))
            self.about = json.loads(head + tail, strict=False)


class _Text:
    """The characters of a file from some place on."""

    def __init__(self, path: Path) -> None:
        self.text = ""
        self.passed = 0
        """How many characters stand before."""
        self.ended = False
        """Whether the file ends where `text` ends."""
        self._unpacked = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ExitStack()
        raw = self._open.enter_context(open_ordinary(path))
        packed = raw.peek(2)[:2] == b"\x1f\x8b"
        self._file: IO[bytes] | gzip.GzipFile = raw
        if packed:
            self._file = self._open.enter_context(gzip.GzipFile(fileobj=raw))

    def __enter__(self) -> _Text:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def opening(self) -> tuple[bool, int]:
        """Whether the file is a bare list of events, and where its first event begins. Raises NoList."""
        while True:
            for pattern in (_BARE_LIST, _LIST_OF_EVENTS):
                found = pattern.match(self.text) if pattern is _BARE_LIST else pattern.search(self.text)
                if found:
                    return pattern is _BARE_LIST, found.end()
            if self.ended:
                json.loads(self.text, strict=False)  # it may have been cut off before its events
                raise NoList
            self.read_on(0, "before its events")

    def read_on(self, start: int, where: str) -> None:
        """Read more of the file, and drop what stands before `start`. Raises TooLarge where the rest is too long."""
        if len(self.text) - start > MOST_CHARACTERS:
            raise TooLarge(_more_than(where))
        self.passed += start
        self.text = self.text[start:] + self._more()

    def rest(self, start: int) -> str:
        """All from a place on. Raises TooLarge."""
        while not self.ended:
            self.read_on(start, "behind its events")
            start = 0
        return self.text[start:]

    def _more(self) -> str:
        data = self._file.read(_AT_ONCE)
        self._unpacked += len(data)
        if self._unpacked > TRACE_BYTES:
            raise TooLarge(f"more than {TRACE_BYTES:,} bytes once it is unpacked")
        self.ended = not data
        return self._decoder.decode(data, final=self.ended)


def _may_go_on(error: json.JSONDecodeError, length: int) -> bool:
    """Whether an error may only mean that the text was not read to its end."""
    return error.pos >= length - _NEAR_THE_END or error.msg.startswith("Unterminated string")


def _more_than(where: str) -> str:
    return f"more than {MOST_CHARACTERS:,} characters {where}"
