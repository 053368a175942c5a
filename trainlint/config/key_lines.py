"""The line of each key of a TOML text, which the TOML parser does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trainlint.config.toml import parse_toml

KeyPath = tuple[str | int, ...]

_TOKEN = re.compile(
    r'''
      (?P<skip>[ \t\r]+|\#[^\n]*)
    | (?P<newline>\n)
    | (?P<string>"""(?:[^\\]|\\.)*?"""(?!")|\'\'\'.*?\'\'\'(?!\')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')
    | (?P<mark>[\[\]{}=,])
    | (?P<bare>[^\s\#\[\]{}=,"']+)
    ''',
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int


def line_of(path: KeyPath, text: str) -> int:
    """The 1-based line of a key, table or array element in valid TOML; else that of the nearest thing around it."""
    lines = key_lines(text)
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def key_lines(text: str) -> dict[KeyPath, int]:
    """The 1-based line of each key, table header and array element of valid TOML; the first where one is repeated."""
    scan = _Scan(list(_tokens(text)))
    table: KeyPath = ()
    while token := scan.next_of_statement():
        if token.text == "[" and token.kind == "mark":
            header = scan.words_until("]")
            while scan.take("]"):  # twice after an array of tables
                pass
            table = _split(header)
            scan.found(table, token.line)
        else:
            scan.key_and_value(table, token)
    return scan.lines


class _Scan:
    """A position in the tokens, and the lines found so far."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self.lines: dict[KeyPath, int] = {}

    def found(self, path: KeyPath, line: int) -> None:
        """Record a key, and the tables that a dotted key opens on its way."""
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], line)

    def next_of_statement(self) -> _Token | None:
        """The first token of the next header or key."""
        self._skip_newlines()
        token = self._peek()
        if token is not None and token.text == "[" and token.kind == "mark":
            self._position += 1
            self.take("[")  # an array of tables
        return token

    def key_and_value(self, table: KeyPath, first: _Token) -> None:
        """Read `key = value`, the first token of the key not yet consumed."""
        path = table + _split(self.words_until("="))
        self.take("=")
        self.found(path, first.line)
        self._value(path)

    def words_until(self, mark: str) -> str:
        """The text of the tokens up to a mark, which stays, or to the end of the line."""
        words = []
        while (token := self._peek()) and token.kind != "newline" and not (token.kind == "mark" and token.text == mark):
            words.append(token.text)
            self._position += 1
        return " ".join(words)

    def take(self, mark: str) -> bool:
        """Step over a mark if it comes next."""
        token = self._peek()
        if token is None or token.kind != "mark" or token.text != mark:
            return False
        self._position += 1
        return True

    def _value(self, path: KeyPath) -> None:
        if self.take("["):
            self._array(path)
        elif self.take("{"):
            self._inline_table(path)
        else:
            while (token := self._peek()) and token.kind != "newline" and token.kind != "mark":
                self._position += 1

    def _array(self, path: KeyPath) -> None:
        index = 0
        self._skip_newlines()
        while (token := self._peek()) and not self.take("]"):
            self.lines.setdefault((*path, index), token.line)
            self._value((*path, index))
            index += 1
            self._skip_newlines()
            self.take(",")
            self._skip_newlines()

    def _inline_table(self, path: KeyPath) -> None:
        self._skip_newlines()
        while (token := self._peek()) and not self.take("}"):
            self.key_and_value(path, token)
            self._skip_newlines()
            self.take(",")
            self._skip_newlines()

    def _skip_newlines(self) -> None:
        while (token := self._peek()) and token.kind == "newline":
            self._position += 1

    def _peek(self) -> _Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind != "skip":
            yield _Token(kind, match.group(), line)
        line += match.group().count("\n")


def _split(key: str) -> KeyPath:
    """The parts of a dotted key, quotes and escapes resolved by the TOML parser itself."""
    parts: list[str | int] = []
    values: Any = parse_toml(f"{key} = 0")
    while isinstance(values, dict):
        [(part, values)] = values.items()
        parts.append(part)
    return tuple(parts)
