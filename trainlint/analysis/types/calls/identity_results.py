"""What a function hands back of what it was given."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.analysis.types.access_paths import ANY, MOST, AccessPath, Start, extended_paths, joined_paths
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.values import Home, Kind, Origin, Value, batch_of, limited_depth


def hands_back(value: Value, function: str) -> bool:
    """Whether a returned value may be, or hold, what the function with this key was given."""
    for each in value.access_paths:
        if each.start is Start.PARAMETER and each.of == function:
            return True
    parts = (*value.items, value.element) if value.element is not None else value.items
    return any(hands_back(item, function) for item in parts)


def handed_back(value: Value, function: str, given: Mapping[str, Value]) -> Value:
    """What a call gets of a returned value: where the function hands back a parameter, what that very call gave it.

    `function` is the key of the function, `given` what the call gave to its parameters.
    """
    if not value.access_paths and not value.items and value.element is None:
        return value
    access_paths: list[AccessPath] = []
    kind = value
    for each in value.access_paths:
        if each.start is Start.PARAMETER and each.of == function and each.name in given:
            kind, found = _given_back(value, kind, given[each.name], each.path)
            access_paths += found
        else:
            access_paths.append(each)
    items = tuple(handed_back(item, function, given) for item in value.items)
    element = handed_back(value.element, function, given) if value.element is not None else None
    most = MOST
    if len(access_paths) > MOST:  # a name that helpers handed on may have more
        most = max(len(value.access_paths), *[len(each.access_paths) for each in given.values()], MOST)
    paths = joined_paths(access_paths, most)
    return limited_depth(kind.holding(element or kind.element, items or kind.items).with_access_paths(*paths))


def _given_back(
    value: Value, kind: Value, source: Value, path: tuple[str | int, ...]
) -> tuple[Value, list[AccessPath]]:
    """What a function hands back of one argument, and where that comes from; `kind` is what is known of it so far."""
    if value.kind is Kind.UNKNOWN and not path:
        kind = source
    elif value.evidence.kind <= Rank.NAMED or value.kind is Kind.UNKNOWN:
        part = _part_of(source, path)
        if part is not None and _is_moved(value):
            return part.lying(value.home), []  # what else is known of the argument says where that was before
        kind = part or kind
    return kind, [item for each in source.access_paths for item in _extended(each, path)]


def _is_moved(value: Value) -> bool:
    """Whether a function put into some memory what it returns."""
    return value.home is not Home.UNKNOWN and value.evidence.home is Rank.PROVED


def _part_of(given: Value, path: tuple[str | int, ...]) -> Value | None:
    """The tensor that stands in an argument at a path of indices and keys; None where that is not known."""
    for part in path:
        if isinstance(part, str):
            return None
        if 0 <= part < len(given.items):
            given = given.items[part]
        elif given.kind is Kind.LOADER and part == ANY:
            given = batch_of(given)
        elif given.kind is Kind.CONTAINER and given.element is not None:
            given = given.element
        elif given.origin is not Origin.BATCH:
            return None
    return given if given.is_tensor else None


def _extended(access_path: AccessPath, path: tuple[str | int, ...]) -> tuple[AccessPath, ...]:
    found: tuple[AccessPath, ...] = (access_path,)
    for part in path:
        found = extended_paths(found, part)
    return found
