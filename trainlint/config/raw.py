"""A configuration file as read: TOML, with the line of each key for messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from trainlint.bounded import CONFIGURATION_BYTES, UnfitFile, leaves_project, read_bounded
from trainlint.config.toml import parse_toml
from trainlint.paths import shown_here
from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TRAINLINT_TOML = "trainlint.toml"
PYPROJECT_TOML = "pyproject.toml"
_TABLE_IN_PYPROJECT = ("tool", "trainlint")
_LINE_IN_MESSAGE = lazy(r"line (\d+)")


class ConfigError(Exception):
    """A configuration that cannot be used. The message is a sentence: file, line, key, what to write instead."""


@dataclass(frozen=True, slots=True)
class RawConfig:
    """The values that a file holds for trainlint, not yet checked."""

    path: Path
    text: str
    table: tuple[str, ...]
    """Where the values stand in the file: ("tool", "trainlint"), or () in a trainlint.toml."""
    values: dict[str, Any]

    def dotted(self, *key: str | int) -> str:
        """A key as people write it: `tool.trainlint.select[2]` (counted from 1)."""
        words = ""
        for part in (*self.table, *key):
            words += f"[{part + 1}]" if isinstance(part, int) else f".{_quoted(part)}"
        return words.removeprefix(".")

    def place(self, *key: str | int) -> str:
        """The file and the line of a key, as in "trainlint.toml:3": where its names first stand in their order."""
        at = 0
        for part in (*self.table, *key):
            found = re.compile(rf"(?<![\w-]){re.escape(str(part))}(?![\w-])").search(self.text, at)
            if isinstance(part, str) and found:
                at = found.start()
        return f"{shown_here(self.path)}:{self.text.count(chr(10), 0, at) + 1}"

    def error(self, key: tuple[str | int, ...], problem: str) -> ConfigError:
        """An error at the line of a key; `problem` goes on from "file:line: "."""
        return ConfigError(f"{self.place(*key)}: {problem}")


def read_bytes(path: Path, *, named: bool = False) -> bytes | None:
    """A configuration file's bytes; None where there is no such file.

    One that nobody `named` is not read where it leads out of its project. Raises ConfigError if it cannot be read.
    """
    if not named and path.is_file() and leaves_project(path):
        problem = "the file is a link that leads out of the project, and is not followed"
        raise ConfigError(f"{shown_here(path)}:1: {problem}; copy it, name it with --config, or run with --isolated")
    try:
        return read_bounded(path, CONFIGURATION_BYTES)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        if path.is_dir():
            return None
        if isinstance(error, UnfitFile):
            problem = f"{error.strerror}, so it is no configuration; correct it, or run with --isolated"
        else:
            problem = f"the file cannot be read ({error.strerror}); make it readable, or run with --isolated"
        raise ConfigError(f"{shown_here(path)}:1: {problem}") from error


def parse_config(path: Path, data: bytes) -> RawConfig | None:
    """Parse a configuration file's bytes; None for a pyproject.toml without [tool.trainlint].

    Raises ConfigError for what is no TOML.
    """
    in_pyproject = path.name == PYPROJECT_TOML
    if in_pyproject and b"trainlint" not in data:  # the parser costs 15 ms to import
        return None
    text, values = _parse(path, data)
    table = _TABLE_IN_PYPROJECT if in_pyproject else ()
    for depth, name in enumerate(table, start=1):
        if name not in values:
            return None
        values = values[name]
        if not isinstance(values, dict):
            raw = RawConfig(path, text, (), values={})
            raise raw.error(table[:depth], f"`{'.'.join(table[:depth])}` must be a table")
    return RawConfig(path, text, table, values)


def _parse(path: Path, data: bytes) -> tuple[str, dict[str, Any]]:
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problem = "the file is not UTF-8, as TOML has to be; save it as UTF-8"
        raise ConfigError(f"{shown_here(path)}:{line}: {problem}") from error
    try:
        return text, parse_toml(text)
    except ValueError as error:
        found = _LINE_IN_MESSAGE.search(str(error))
        line = int(found[1]) if found else text.rstrip("\n").count("\n") + 1
        raise ConfigError(f"{shown_here(path)}:{line}: the file is not valid TOML: {error}") from error


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else f'"{key}"'
