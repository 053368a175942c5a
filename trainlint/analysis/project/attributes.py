"""What an attribute of a class or an object may be: methods, what the class assigns, and what it registers by name.

Also what iterating an object gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.project.carrying import item
from trainlint.analysis.project.things import (
    ALL_GIVEN,
    MOST_THINGS,
    ChoiceThing,
    ClassThing,
    FunctionThing,
    ObjectThing,
    Thing,
    ValueThing,
)
from trainlint.analysis.tables.common_names import OF_EVERY_MODULE
from trainlint.analysis.types.access_paths import ANY, SOME
from trainlint.analysis.types.values import UNKNOWN, Kind

if TYPE_CHECKING:
    from trainlint.analysis.project.following import Follower

_WRAPPED = frozenset({"module", "model", "_orig_mod"})
"""Attributes by which wrappers of models hand out what they wrap."""


def attribute_of(follower: Follower, thing: ClassThing | ObjectThing, name: str) -> Iterator[Thing]:
    """What an attribute of a class or an object may be."""
    if SOME in name:
        yield from _attribute_by_pattern(follower, thing, name)
        return
    method = follower.classes.method(thing.file, thing.name, name)
    if method is not None:
        yield from _methods(follower, thing, name, method)
        return
    if name == "apply" and isinstance(thing, ClassThing) and _is_autograd(follower, thing):
        yield from _of_autograd(follower, thing)
        return
    cls = _class_that_sets(follower, thing, name)
    if cls is not None:
        yield from _set_by_class(follower, cls, name)
    elif isinstance(thing, ObjectThing) and name in _WRAPPED:
        yield thing
    else:
        found = list(_in_derived(follower, thing, name)) if isinstance(thing, ObjectThing) and thing.own else []
        yield from found or _put_by_name(follower, thing, name)


def _attribute_by_pattern(follower: Follower, thing: ClassThing | ObjectThing, pattern: str) -> Iterator[Thing]:
    """What an attribute may be whose name the run decides: one that fits, or what the class puts there likewise."""
    if pattern != SOME and follower.classes.names_like(thing, pattern):
        yield ChoiceThing(thing.file, pattern, owner=thing)
    else:
        yield from _put_by_name(follower, thing, pattern)


def _put_by_name(follower: Follower, thing: ClassThing | ObjectThing, name: str) -> Iterator[Thing]:
    """What a class registers under names that the run decides, as `follower.add_module(name, layer)` does."""
    for file, value in follower.classes.put_by_name(thing, name) if name not in OF_EVERY_MODULE else ():
        yield from follower.value(file, value)


def _methods(
    follower: Follower, thing: ClassThing | ObjectThing, name: str, method: tuple[int, str]
) -> Iterator[FunctionThing]:
    """A method of a class or object, and what overrides it where a deriving class may be meant."""
    function = follower.summaries[method[0]].functions[method[1]]
    bound = function.bound and (isinstance(thing, ObjectThing) or function.of_class)
    yield FunctionThing(*method, bound)
    if isinstance(thing, ObjectThing) and thing.own:
        for other in follower.classes.overrides(thing.file, thing.name, name):
            yield FunctionThing(*other, bound)


def _class_that_sets(follower: Follower, thing: ClassThing | ObjectThing, name: str) -> ClassThing | None:
    """The class, or the nearest of its bases, that assigns or declares an attribute."""
    for cls in follower.classes.ancestry(thing.file, thing.name):
        shape = follower.summaries[cls.file].classes[cls.name]
        if name in shape.attributes or name in shape.declared:
            return cls
    return None


def _set_by_class(follower: Follower, cls: ClassThing, name: str) -> Iterator[Thing]:
    """What a class assigns to an attribute, or what the attribute's annotation declares."""
    shape = follower.summaries[cls.file].classes[cls.name]
    table = follower.choices.table(cls.file, f"{cls.name}.{name}")
    if table is not None:
        yield table
    value = shape.attributes.get(name, UNKNOWN)
    yield from follower.or_declared(follower.value(cls.file, value), cls.file, shape.declared.get(name, ()))


def _is_autograd(follower: Follower, cls: ClassThing) -> bool:
    return any(name.endswith("autograd.Function") for name in follower.classes.base_names(cls.file, cls.name))


def _of_autograd(follower: Follower, cls: ClassThing) -> Iterator[FunctionThing]:
    """What `apply` of an autograd function runs: `forward`, which is given its context, and later `backward`."""
    for name, given in (("forward", 1), ("backward", ALL_GIVEN)):
        method = follower.classes.method(cls.file, cls.name, name)
        if method is not None:
            yield FunctionThing(*method, given=given)


def _in_derived(follower: Follower, thing: ObjectThing, name: str) -> Iterator[Thing]:
    """What classes that derive from an object's class call by a name, until that is too much to tell anything."""
    methods = follower.classes.methods_of_derived(thing.file, thing.name, name)
    found: dict[Thing, None] = {FunctionThing(*other, bound=True): None for other in methods}
    for number, value in follower.classes.values_in_derived(thing.file, thing.name, name):
        if len(found) > MOST_THINGS:
            break
        found |= dict.fromkeys(follower.value(number, value))
    yield from found


def items_of_object(follower: Follower, thing: ObjectThing) -> Iterator[Thing]:
    """What an object yields, by its `__iter__`; where that hands back the object itself, by its `__next__`."""
    if follower.classes.is_module(thing):
        return
    for method in _special_methods(follower, thing, "__iter__"):
        summary = follower.summaries[method.file].functions[method.key]
        for given in follower.value(method.file, summary.returned):
            if isinstance(given, ObjectThing) and given.own:
                yield from _next_items(follower, thing)
            elif isinstance(given, ObjectThing):
                yield from _next_items(follower, given)
            elif isinstance(given, ValueThing) and given.value.kind in (Kind.LOADER, Kind.CONTAINER):
                yield from follower.value(given.file, item(given.value, ANY))


def _next_items(follower: Follower, thing: ObjectThing) -> Iterator[Thing]:
    for method in _special_methods(follower, thing, "__next__"):
        yield from follower.value(method.file, follower.summaries[method.file].functions[method.key].returned)


def _special_methods(follower: Follower, thing: ObjectThing, name: str) -> list[FunctionThing]:
    return [each for each in attribute_of(follower, thing, name) if isinstance(each, FunctionThing)]
