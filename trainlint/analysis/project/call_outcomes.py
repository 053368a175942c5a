"""What a call of a thing returns, and which methods run when an object is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.project.attributes import attribute_of
from trainlint.analysis.project.carrying import placed
from trainlint.analysis.project.summary import OutgoingCall
from trainlint.analysis.project.things import (
    CALL,
    MOST_FUNCTIONS,
    ChoiceThing,
    ClassThing,
    FunctionThing,
    ObjectThing,
    Thing,
    ValueThing,
    first_things,
)
from trainlint.analysis.types.calls.identity_results import handed_back, hands_back
from trainlint.analysis.types.declared_types import RESULT
from trainlint.analysis.types.values import Value

if TYPE_CHECKING:
    from trainlint.analysis.project.following import Follower


def called(follower: Follower, thing: Thing, file: int, call: OutgoingCall | None) -> Iterator[Thing]:
    """What one call of a thing returns."""
    if isinstance(thing, ClassThing):
        yield ObjectThing(thing.file, thing.name)
    elif isinstance(thing, FunctionThing):
        classes = follower.summaries[thing.file].functions[thing.key].declared.get(RESULT, ())
        given_back = follower.value(thing.file, returned(follower, thing, file, call))
        if thing.given:  # what it was given before is not known here, so neither is what it computes of that
            given_back = (each for each in given_back if not isinstance(each, ValueThing))
        yield from follower.or_declared(given_back, thing.file, classes)
    elif isinstance(thing, ChoiceThing):
        yield thing.then(CALL)
    elif isinstance(thing, ObjectThing):
        methods = call_methods(follower, thing)
        for method in methods if len(methods) <= MOST_FUNCTIONS else ():
            yield from called(follower, method, file, call)


def results(follower: Follower, thing: Thing) -> tuple[Thing, ...]:
    """What some call of a thing returns, whatever it is given."""
    return first_things(called(follower, thing, -1, None))


def returned(follower: Follower, function: FunctionThing, file: int, call: OutgoingCall | None) -> Value:
    """What a function returns to one of its calls: what it hands back is what this very call gave it."""
    summary = follower.summaries[function.file].functions[function.key]
    if call is None or not (summary.returned.access_paths or summary.returned.items):
        return summary.returned
    given: dict[str, Value] = {}
    if hands_back(summary.returned, function.key):
        names = summary.parameters[function.bound + function.given :]
        given = dict(zip(names, call.arguments, strict=False)) | dict(call.keywords)
    return handed_back(summary.returned, function.key, {name: placed(value, file) for name, value in given.items()})


def call_methods(follower: Follower, thing: ObjectThing) -> list[FunctionThing]:
    """The methods that run when an object is called."""
    for name in ("forward", "__call__"):
        found = [item for item in attribute_of(follower, thing, name) if isinstance(item, FunctionThing)]
        if found:
            return found
    return []
