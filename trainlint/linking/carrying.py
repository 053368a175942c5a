"""Values on their way from file to file."""

from __future__ import annotations

from dataclasses import replace

from trainlint.model.pointers import ANY
from trainlint.model.values import UNKNOWN, Kind, Value


def placed(value: Value, file: int) -> Value:
    """A value whose pointers say which file's names they are."""
    pointers = tuple(each if each.file >= 0 else replace(each, file=file) for each in value.pointers)
    return replace(value, pointers=pointers, items=tuple(placed(each, file) for each in value.items))


def item(value: Value, place: int) -> Value:
    """What indexing a value gives at one place, or anywhere in it."""
    if 0 <= place < len(value.items):
        return value.items[place]
    found = value.element if value.element is not None else UNKNOWN
    if value.kind in (Kind.TENSOR, Kind.ARRAY) and not value.items:
        return replace(value, pointers=())
    return found if place == ANY or not value.items else UNKNOWN


def bare(value: Value) -> Value:
    """A value as it may be told to another file, where its pointers mean nothing."""
    return replace(
        value,
        pointers=(),
        element=bare(value.element) if value.element is not None else None,
        items=tuple(bare(each) for each in value.items),
    )
