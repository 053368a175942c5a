"""Reads JSON files that people write by hand, with a sentence for each wrong entry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

Item: TypeAlias = dict[str, object]
"""One JSON object."""
_Record = TypeVar("_Record")
_Choice = TypeVar("_Choice", bound=Enum)


class BadFile(Exception):
    """A file that cannot be read or contradicts itself. The message names the file and the place in it."""


def read_json(path: Path) -> object:
    """The content of a JSON file. Raises BadFile where it cannot be read or is no JSON."""
    return _parse(str(path), _read(path))


def read_json_lines(path: Path) -> list[tuple[int, Item]]:
    """The objects of a file with one JSON object a line, with their line numbers. Raises BadFile as read_json does."""
    lines = [(number, line) for number, line in enumerate(_read(path).split("\n"), 1) if line.strip()]
    items = [(number, _parse(f"{path}, line {number}", line)) for number, line in lines]
    objects(path, [item for _, item in items])
    return [(number, item) for number, item in items if isinstance(item, dict)]


def objects(path: Path, items: object) -> list[tuple[int, Item]]:
    """The objects of a JSON list, numbered from 1. Raises BadFile where it is no list of objects."""
    if not (isinstance(items, list) and all(isinstance(item, dict) for item in items)):
        raise BadFile(f"{path} holds no list of objects where one is expected")
    return list(enumerate(items, 1))


def each(
    path: Path, items: Iterable[tuple[int, Item]], read: Callable[[Mapping[str, object]], _Record]
) -> list[_Record]:
    """What `read` makes of each object. Raises BadFile with a line for each object of which it raises ValueError."""
    records, problems = [], []
    for number, item in items:
        try:
            records.append(read(item))
        except ValueError as error:
            problems.append(f"{path}, entry {number}: {error}")
    if problems:
        raise BadFile("\n".join(problems))
    return records


def text(item: Mapping[str, object], key: str) -> str:
    """A text that must be there. Raises ValueError where it is missing, empty or something else."""
    value = item.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f'"{key}" is missing or no text')
    return value


def line_number(item: Mapping[str, object], key: str) -> int:
    """A line number, from 1. Raises ValueError where it is missing or something else."""
    value = item.get(key)
    if type(value) is not int or value < 1:
        raise ValueError(f'"{key}" is missing or no line number')
    return value


def choice(item: Mapping[str, object], key: str, choices: type[_Choice]) -> _Choice:
    """A member of an enumeration by its value. Raises ValueError with the known values where it is another."""
    known = {member.value: member for member in choices}
    value = item.get(key)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f'"{key}" is {value!r} and must be one of: {", ".join(known)}')
    return known[value]


def _parse(place: str, content: str) -> object:
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise BadFile(f"{place}: it is no JSON ({error})") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadFile(f"{path} cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is no text in UTF-8") from error
