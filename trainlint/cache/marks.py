"""What stands for a value: equal values have the same mark in any process, however they came to be."""

from __future__ import annotations

from collections.abc import Mapping, Set
from enum import Enum

from trainlint.cache.keys import digest
from trainlint.records import field_names, is_dataclass


def mark(value: object) -> bytes:
    """The mark of plain data. Raises TypeError for anything else.

    Pickled data could not stand for it: what is one object in one process may be two equal ones in another.
    """
    return digest(_text(value, {}).encode("utf-8", "surrogatepass"))


def _text(value: object, known: dict[int, str]) -> str:
    """The value written out; `known` holds what was written already, of data that is alive all the while."""
    if value is None or (isinstance(value, str | int | float | bytes) and not isinstance(value, Enum)):
        return repr(value)
    text = known.get(id(value))
    if text is None:
        text = known[id(value)] = _compound(value, known)
    return text


def _compound(value: object, known: dict[int, str]) -> str:
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, tuple | list):
        name = "" if type(value) in (tuple, list) else type(value).__name__
        return f"{name}({','.join(_text(item, known) for item in value)})"
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{_text(name, known)}:{_text(item, known)}' for name, item in value.items())}}}"
    if isinstance(value, Set):
        return f"<{','.join(sorted(_text(item, known) for item in value))}>"
    if is_dataclass(type(value)):
        parts = (_text(getattr(value, name), known) for name in field_names(type(value)))
        return f"{type(value).__name__}({','.join(parts)})"
    raise TypeError(f"{type(value).__name__} is no plain data")
