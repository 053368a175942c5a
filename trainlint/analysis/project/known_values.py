"""What a project knows of a value of a file: what its access paths lead to, as a value without access paths."""

from __future__ import annotations

from dataclasses import replace

from trainlint.analysis.project.attributes import items_of_object
from trainlint.analysis.project.carrying import moved_on_the_way, without_access_paths
from trainlint.analysis.project.following import Follower
from trainlint.analysis.project.things import ChoiceThing, ObjectThing, ValueThing
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.structures.iterators import holds_batch, iterating
from trainlint.analysis.types.values import UNKNOWN, Kind, Value, merge

_DEEPEST_TUPLE = 3
"""Elements and items that stand deeper than this in containers in containers are not followed."""
_PLAIN = frozenset({Kind.NUMBER, Kind.STRING, Kind.ARRAY})
"""What the code of a file computes on the host, whatever its access paths lead to besides."""
_LESS_SURE = 0.95
"""How sure a value is at most that is known from another file only."""


def known_value(follower: Follower, file: int, value: Value, depth: int = 0) -> Value:
    """What the project knows of a value of a file, without its access paths; UNKNOWN where that is nothing."""
    own = _with_items(follower, file, value, depth)
    if not value.access_paths:
        return own.at_most(_LESS_SURE)
    found = _value_across_files(follower, file, value, depth)
    if found.kind is Kind.UNKNOWN:
        found = own
    elif found.kind is own.kind:
        found = merge([found, own])
    elif own.items and own.kind is Kind.UNKNOWN:
        found = merge([found, replace(own, kind=Kind.CONTAINER)])
    elif own.kind in _PLAIN and own.evidence.kind > Rank.NAMED and not own.literal:
        found = merge([found, own])
    if own.items and not found.items:
        found = found.holding(found.element, own.items)
    return found.at_most(_LESS_SURE)


def _with_items(follower: Follower, file: int, value: Value, depth: int) -> Value:
    """A value without its access paths, with what the project knows of the items of a tuple."""
    plain = without_access_paths(value)
    if (not value.items and value.element is None) or depth >= _DEEPEST_TUPLE:
        return plain
    element = plain.element
    if value.element is not None:
        followed = known_value if value.element.access_paths else _with_items
        element = followed(follower, file, value.element, depth + 1)
    return plain.holding(element, tuple([known_value(follower, file, item, depth + 1) for item in value.items]))


def _value_across_files(follower: Follower, file: int, value: Value, depth: int) -> Value:
    values: list[Value] = []
    for thing in follower.follow(file, value.access_paths):
        if isinstance(thing, ValueThing):
            values.append(_with_items(follower, thing.file, moved_on_the_way(thing.value, value), depth))
        elif isinstance(thing, ObjectThing):
            is_module = follower.classes.is_module(thing)
            values.append(Value(Kind.MODULE) if is_module else _iterating(follower, thing, depth))
        elif isinstance(thing, ChoiceThing):
            values += _chosen(follower, thing)
    return merge(values) if values else UNKNOWN


def _iterating(follower: Follower, thing: ObjectThing, depth: int) -> Value:
    """An object that yields batches; UNKNOWN for any other."""
    if depth >= _DEEPEST_TUPLE:
        return UNKNOWN
    items = [
        known_value(follower, each.file, each.value, depth + 1) if each.file >= 0 else each.value
        for each in items_of_object(follower, thing)
        if isinstance(each, ValueThing)
    ]
    item = merge(items)
    return iterating(item) if holds_batch(item) else UNKNOWN


def _chosen(follower: Follower, choice: ChoiceThing) -> list[Value]:
    """A module, where all objects that a choice may be are modules."""
    objects = [each for each in follower.choices.entries(choice) if isinstance(each, ObjectThing)]
    return [Value(Kind.MODULE)] if objects and all(map(follower.classes.is_module, objects)) else []
