"""Results as bytes, and back: compressed JSON from which nothing but plain data can be made.

The JSON is a list of class names and a list of items. An item is a string, a number, a truth value or null, which
stands for itself, or a list: the number of a class, then the places of the parts, which are earlier items. The last
item is the result. Equal items are written once, so equal results give the same bytes in every process.
"""

from __future__ import annotations

import json
import zlib

from trainlint.cache.keys import digest
from trainlint.cache.kinds import put_together, taken_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

MOST_BYTES = 32_000_000
"""Of JSON. Nothing larger is kept, and nothing is decompressed beyond it. A summary takes some 10 kB, and a run with
one finding 300 bytes."""
_FASTEST = 1
_ENCODED = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_SCALARS = frozenset({str, int, float, bool, type(None)})


class Unpackable(Exception):
    """Bytes that hold no result, or a result that holds more than plain data."""


def pack(value: object) -> bytes:
    """A result as bytes. Raises Unpackable for what is not plain data, or too much."""
    data = _text(value)
    if len(data) > MOST_BYTES:
        raise Unpackable(f"more than {MOST_BYTES:,} bytes")
    return zlib.compress(data, _FASTEST)


def value_digest(value: object) -> bytes:
    """What stands for a value: equal values have the same mark in any process. Raises Unpackable."""
    return digest(_text(value))


def unpack(data: bytes) -> Any:
    """The result that was packed. Raises Unpackable for all other bytes."""
    try:
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(data, MOST_BYTES)
        if not unpacking.eof:  # cut short, or a small file that would fill the memory
            raise ValueError("no end")
        names, items = json.loads(text)
        return _read(names, items)
    except Exception as error:
        raise Unpackable(str(error)) from error


def _text(value: object) -> bytes:
    writing = _Writing()
    try:
        writing.place(value)
        return _ENCODED([list(writing.names), writing.items]).encode()
    except Exception as error:
        raise Unpackable(str(error)) from error


class _Writing:
    """The items of one result."""

    def __init__(self) -> None:
        self.items: list[object] = []
        self.names: dict[str, int] = {}
        self._places: dict[object, int] = {}
        """Of items. A number's type belongs to its key, for 1, 1.0 and True are equal."""
        self._places_by_id: dict[int, int] = {}
        """Of objects that are alive all the while."""
        self._known: dict[type, tuple[int, Callable[[Any], Iterable[object]]]] = {}

    def place(self, value: object) -> int:
        """The place of a value among the items, which it joins if it is new. Raises TypeError for no plain data."""
        kind = type(value)
        if kind in _SCALARS:
            return self._of(value if kind is str else (kind, value), value)
        found = self._places_by_id.get(id(value))
        if found is not None:
            return found
        number, parts = self._known.get(kind) or self._register_class(kind)
        item = [number]
        places = self._places
        for part in parts(value):
            of_part = type(part)
            if of_part in _SCALARS:  # most parts are; `place` would find the same in twice the time
                key = part if of_part is str else (of_part, part)
                at = places.get(key)
                item.append(self._of(key, part) if at is None else at)
            else:
                item.append(self.place(part))
        found = self._places_by_id[id(value)] = self._of((*item,), item)
        return found

    def _of(self, key: object, item: object) -> int:
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = len(self.items)
            self.items.append(item)
        return found

    def _register_class(self, kind: type) -> tuple[int, Callable[[Any], Iterable[object]]]:
        name, parts = taken_apart(kind)
        known = self._known[kind] = (self.names.setdefault(name, len(self.names)), parts)
        return known


def _read(names: list[str], items: list[Any]) -> object:
    makers = [put_together(name) for name in names]
    made: list[Any] = []
    for item in items:
        if type(item) is not list:
            made.append(item)
            continue
        if min(item) < 0:  # it would count from the end
            raise ValueError("no place")
        number, *places = item
        made.append(makers[number]([made[place] for place in places]))
    return made[-1]
