"""Evidence as JSON and back: dataclasses read and written by their annotations, and checked while they are read.

A file of evidence may be months old, from another version, or cut off by a full disk. What does not fit is refused with
a sentence that names the file and the place.
"""

from __future__ import annotations

import json
import os
import types
import typing
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from trainlint.evidence import Run
from trainlint.records import is_dataclass

VERSION = 1
"""Of the layout. A reader refuses any other."""

T = TypeVar("T")


class Damaged(ValueError):
    """A text is no evidence; the message is a sentence that says where and why."""


def write_run(run: Run, path: Path) -> None:
    """Write a run as JSON. A reader sees the whole file or none."""
    text = json.dumps({"trainlint evidence": VERSION, "run": to_json(run)}, indent=1, allow_nan=False)
    written = path.with_name(f".{path.name}.{os.getpid()}")
    written.write_text(text + "\n", encoding="utf-8")
    written.replace(path)


def read_run(path: Path) -> Run:
    """The run that a file holds. Raises Damaged, and OSError where the file cannot be read."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Damaged(f"{path} is not JSON ({error}): it was cut off or edited. Run `trainlint probe` again.") from None
    version = whole.get("trainlint evidence") if isinstance(whole, dict) else None
    if version != VERSION:
        found = "says nothing of its layout" if version is None else f"has layout {version!r}"
        raise Damaged(f"{path} {found}, and this trainlint reads layout {VERSION}. Run `trainlint probe` again.")
    try:
        return from_json(whole.get("run"), Run)
    except Damaged as damage:
        raise Damaged(f"{path}: {damage} Run `trainlint probe` again.") from None


def to_json(value: object) -> Any:
    """A dataclass, and all that it holds, as JSON's own types. Enum members are named by their values."""
    if is_dataclass(type(value)):
        return {name: to_json(getattr(value, name)) for name in type(value).__annotations__}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {to_json(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    return value


def from_json(value: object, kind: type[T], place: str = "") -> T:
    """A value of a dataclass, from what `to_json` made of it. Raises Damaged."""
    read: T = _read(value, kind, place)
    return read


def _read(value: Any, kind: Any, place: str) -> Any:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _read_union(value, typing.get_args(kind), place)
    if origin is tuple:
        return _read_tuple(value, typing.get_args(kind), place)
    if origin is not None and issubclass(origin, Mapping):
        keys, values = typing.get_args(kind)
        _expect(isinstance(value, dict), value, "an object", place)
        return {_read(key, keys, place): _read(item, values, f"{place}[{key!r}]") for key, item in value.items()}
    if is_dataclass(kind):
        return _read_dataclass(value, kind, place)
    if issubclass(kind, Enum):
        known = {member.value: member for member in kind}
        _expect(isinstance(value, str) and value in known, value, "one of " + ", ".join(map(repr, known)), place)
        return known[value]
    if kind is float:
        _expect(isinstance(value, (int, float)) and not isinstance(value, bool), value, "a number", place)
        return float(value)
    _expect(type(value) is kind, value, _WORDS[kind], place)
    return value


_WORDS: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false", type(None): "null"}


def _read_union(value: object, kinds: tuple[Any, ...], place: str) -> object:
    """Every union in the evidence is "this or nothing"."""
    if value is None and type(None) in kinds:
        return None
    (kind,) = (kind for kind in kinds if kind is not type(None))
    return _read(value, kind, place)


def _read_tuple(value: Any, kinds: tuple[Any, ...], place: str) -> tuple[object, ...]:
    _expect(isinstance(value, list), value, "an array", place)
    return tuple(_read(item, kinds[0], f"{place}[{number}]") for number, item in enumerate(value))


def _read_dataclass(value: Any, kind: type, place: str) -> object:
    _expect(isinstance(value, dict), value, "an object", place)
    hints = typing.get_type_hints(kind)
    for name in value:
        if name not in hints:
            raise Damaged(f"{place or kind.__name__} has {name!r}, which is not known.")
    given = [(name, hint) for name, hint in hints.items() if name in value]
    fields = {name: _read(value[name], hint, f"{place}.{name}".lstrip(".")) for name, hint in given}
    try:
        return kind(**fields)
    except TypeError as error:
        raise Damaged(f"{place or kind.__name__} is incomplete: {error}.") from None


def _expect(right: bool, value: object, what: str, place: str) -> None:
    if not right:
        shown = json.dumps(value, default=repr)
        shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
        raise Damaged(f"{place or 'the run'} should be {what}, and is {shown}.")
