"""Results as bytes, and back.

Bytes in a cache are not trusted: a repository can bring a cache along. So nothing is made of them but plain data, that
is, frozen dataclasses, named tuples and enumerations of the modules below, and what Python itself holds such data in.
"""

from __future__ import annotations

import copyreg
import io
import sys
import zlib
from collections.abc import Callable
from enum import Enum
from functools import cache
from importlib import import_module
from operator import attrgetter

try:
    from _pickle import Pickler, Unpickler, UnpicklingError  # what `pickle` has by these names, in half of the time
except ImportError:
    from pickle import Pickler, Unpickler, UnpicklingError

from trainlint.records import dataclass, field_names, is_dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    _Reducers = dict[type, Callable[[Any], Any]]
else:
    _Reducers = dict

_PROTOCOL = 5
_FASTEST = 1
"""Pickled summaries are a fifth as large then, for an eighth of the time that it takes to pickle them."""
_HOMES = ("trainlint.engine.", "trainlint.finding", "trainlint.linking.", "trainlint.model.")
"""Modules, and packages that end with a dot, whose data is kept."""


class Unpackable(Exception):
    """Bytes that hold no result, or a result that holds more than plain data."""


def pack(value: object) -> bytes:
    """A result as bytes. The same code gives the same bytes in any process. Raises Unpackable."""
    file = io.BytesIO()
    pickler = Pickler(file, _PROTOCOL)
    pickler.dispatch_table = _BY_FIELDS
    try:
        pickler.dump(value)
    except Exception as error:
        raise Unpackable(str(error)) from error
    return zlib.compress(file.getbuffer(), _FASTEST)


def unpack(data: bytes) -> Any:
    """The result that was packed. Raises Unpackable for all other bytes."""
    try:
        return _PlainData(io.BytesIO(zlib.decompress(data))).load()
    except Exception as error:
        raise Unpackable(str(error)) from error


class _PlainData(Unpickler):
    def find_class(self, module: str, name: str) -> type:
        return _plain(module, name)


@cache
def _plain(module: str, name: str) -> type:
    """A class of plain data. A name with dots could lead anywhere, and is none."""
    if (module, name) == ("builtins", "frozenset"):
        return frozenset
    if not (module in _HOMES or any(home.endswith(".") and module.startswith(home) for home in _HOMES)):
        raise UnpicklingError(f"{module}.{name} is no result")
    found = getattr(sys.modules.get(module) or import_module(module), name)
    if not (isinstance(found, type) and (is_dataclass(found) or issubclass(found, (Enum, tuple)))):
        raise UnpicklingError(f"{module}.{name} is no plain data")
    return found


class _ByFields(_Reducers):
    """Data as a call with its fields: a third of the time that dataclasses themselves take."""

    def __missing__(self, kind: type) -> Callable[[Any], Any]:
        found: Callable[[Any], tuple[type, tuple[object, ...]]]
        if issubclass(kind, Enum):
            found = _by_value
        elif is_dataclass(kind):
            found = _by_fields(kind)
        elif issubclass(kind, tuple):
            found = _by_items
        else:
            raise KeyError(kind)
        self[kind] = found
        return found


def _by_value(member: Enum) -> tuple[type, tuple[object]]:
    return type(member), (member.value,)


def _by_items(value: tuple[object, ...]) -> tuple[type, tuple[object, ...]]:
    return type(value), tuple(value)


def _by_fields(kind: type) -> Callable[[Any], tuple[type, tuple[object, ...]]]:
    names = field_names(kind)
    if any("set" in str(kind.__annotations__[name]) for name in names):
        return lambda value: (kind, tuple(_ordered(getattr(value, name)) for name in names))
    if len(names) > 1:
        several = attrgetter(*names)  # gives the fields as a tuple, at the speed of C
        return lambda value: (kind, several(value))
    return lambda value: (kind, tuple(getattr(value, name) for name in names))


@dataclass(frozen=True, slots=True)
class _Ordered:
    """A set whose order does not change from process to process, as that of strings does."""

    members: tuple[object, ...]


def _ordered(value: object) -> object:
    return _Ordered(tuple(sorted(value, key=repr))) if type(value) is frozenset and len(value) > 1 else value


_BY_FIELDS = _ByFields(copyreg.dispatch_table)
_BY_FIELDS[_Ordered] = lambda ordered: (frozenset, (ordered.members,))
