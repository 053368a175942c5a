"""Values on their way from file to file."""

from __future__ import annotations

from trainlint.analysis.tables import tensor_attributes
from trainlint.analysis.types.access_paths import ANY
from trainlint.analysis.types.structures.structure import moved_to_home
from trainlint.analysis.types.values import UNKNOWN, Home, Kind, Origin, Value, batch_of


def placed(value: Value, file: int) -> Value:
    """A value whose access paths say which file's names they are, and so do those of its elements and items."""
    if not value.access_paths and value.element is None and not value.items:
        return value
    access_paths = [each if each.file >= 0 else each.of_file(file) for each in value.access_paths]
    element = placed(value.element, file) if value.element is not None else None
    return value.with_access_paths(*access_paths).holding(element, tuple([placed(each, file) for each in value.items]))


def item(value: Value, place: int) -> Value:
    """What indexing a value gives at one place, or anywhere in it."""
    if 0 <= place < len(value.items):
        return value.items[place]
    if value.kind is Kind.LOADER:
        return batch_of(value)
    found = value.element if value.element is not None else UNKNOWN
    if value.kind in (Kind.TENSOR, Kind.ARRAY) and not value.items:
        return value.with_access_paths()
    return found if place == ANY or not value.items else UNKNOWN


def is_tensor_attribute(value: Value, name: str) -> bool:
    """Whether an attribute of a tensor is a tensor of the same data, as in `batch.data` and `batch.labels`."""
    if not value.is_tensor or name in tensor_attributes.OBJECTS:
        return False
    if name in tensor_attributes.SIZES | tensor_attributes.TEXTS | tensor_attributes.NUMBERS:
        return False
    return value.origin is Origin.BATCH or name in tensor_attributes.VIEWS


def without_access_paths(value: Value) -> Value:
    """A value as it may be told to another file, where its access paths mean nothing."""
    if not value.access_paths and value.element is None and not value.items:
        return value
    element = without_access_paths(value.element) if value.element is not None else None
    return value.with_access_paths().holding(element, tuple([without_access_paths(each) for each in value.items]))


def moved_on_the_way(imported: Value, own: Value) -> Value:
    """What a file is told of a value of its own of which it only knows that it, or an alternative, is on the device."""
    return moved_to_home(imported, Home.CHOSEN) if own.kind is Kind.UNKNOWN and own.home is Home.DEVICE else imported
