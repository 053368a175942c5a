"""Evidence as JSON and back: dataclasses read and written by their annotations, and checked while they are read.

A file of evidence may be months old, from another version, or cut off by a full disk. What does not fit is refused with
a sentence that names the place.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from math import inf, isinf
from typing import Any, TypeVar

from trainlint.evidence.interval import Interval

T = TypeVar("T")

_NO_BOUND = {"low": -inf, "high": inf}
"""What null is as a bound of an interval: there is none on this side. JSON knows no infinity."""


class Damaged(ValueError):
    """A text is no evidence; the message is a sentence that says where and why."""


def to_json(value: object) -> Any:
    """A dataclass, and all that it holds, as JSON's own types. Enum members are named by their values."""
    if isinstance(value, Interval):
        return {name: None if isinf(getattr(value, name)) else getattr(value, name) for name in _NO_BOUND}
    if is_dataclass(type(value)):
        return {name: to_json(getattr(value, name)) for name in type(value).__annotations__}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {to_json(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    return value


def from_json(value: object, kind: type[T], place: str = "", *, newer: bool = False) -> T:
    """A value of a dataclass, from what `to_json` made of it. A key that is missing has its default.

    Args:
        value: what JSON gave.
        kind: the dataclass.
        place: what to call it where it is damaged.
        newer: whether a later version may have written it. Keys that are not known are passed over then: a document
            gains keys without changing its version. What a process of our own has just written holds none, so that
            there they mean that something is wrong.

    Raises:
        Damaged: it does not fit.
    """
    read: T = _Reader(newer=newer).read(value, kind, place)
    return read


class _Reader:
    def __init__(self, *, newer: bool) -> None:
        self.newer = newer

    def read(self, value: Any, kind: Any, place: str) -> Any:
        if typing.get_origin(kind) is not None:
            return self._generic(value, kind, place)
        if is_dataclass(kind):
            return self._dataclass(value, kind, place)
        if issubclass(kind, Enum):
            known = {member.value: member for member in kind}
            _expect(isinstance(value, str) and value in known, value, "one of " + ", ".join(map(repr, known)), place)
            return known[value]
        if kind is float:
            _expect(isinstance(value, (int, float)) and not isinstance(value, bool), value, "a number", place)
            try:
                return float(value)
            except OverflowError:
                raise Damaged(f"{place} has a number that is too large.") from None
        _expect(type(value) is kind, value, _WORDS[kind], place)
        return value

    def _generic(self, value: Any, kind: Any, place: str) -> Any:
        """A value that may be missing, a tuple or a mapping."""
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            # Every union in the evidence is "this or nothing".
            (one,) = (each for each in parts if each is not type(None))
            return None if value is None else self.read(value, one, place)
        if origin is tuple:
            _expect(isinstance(value, list), value, "an array", place)
            return tuple(self.read(item, parts[0], f"{place}[{number}]") for number, item in enumerate(value))
        assert issubclass(origin, Mapping)
        keys, values = parts
        _expect(isinstance(value, dict), value, "an object", place)
        return {
            self.read(key, keys, place): self.read(item, values, f"{place}[{key!r}]") for key, item in value.items()
        }

    def _dataclass(self, value: Any, kind: Any, place: str) -> object:
        _expect(isinstance(value, dict), value, "an object", place)
        hints = _hints(kind)
        if not self.newer:
            for name in value:
                if name not in hints:
                    raise Damaged(f"{place or kind.__name__} has {name!r}, which is not known.")
        if kind is Interval:
            value = {name: _NO_BOUND.get(name) if bound is None else bound for name, bound in value.items()}
        given = [(name, hint) for name, hint in hints.items() if name in value]
        fields = {name: self.read(value[name], hint, _within(place, name)) for name, hint in given}
        try:
            return kind(**fields)
        except TypeError:
            missing = next(name for name in _needed(kind) if name not in fields)
            raise Damaged(f"{_within(place, missing)} is missing.") from None


_WORDS: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false", type(None): "null"}


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    """The kinds of a dataclass's fields: to work them out takes longer than to read an object."""
    return typing.get_type_hints(kind)


def _needed(kind: Any) -> list[str]:
    """The fields of a dataclass that have no default."""
    from dataclasses import MISSING, fields

    return [each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING]


def _within(place: str, name: str) -> str:
    return f"{place}.{name}".lstrip(".")


def _expect(right: bool, value: object, what: str, place: str) -> None:
    if not right:
        shown = json.dumps(value, default=repr)
        shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
        raise Damaged(f"{place or 'it'} should be {what}, and is {shown}.")
