"""What reaches parameters that functions hand on to each other, for all of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from trainlint.analysis.project.things import Thing, few_of
from trainlint.analysis.types.access_paths import AccessPath, Start
from trainlint.analysis.types.values import Value

Parameter: TypeAlias = tuple[int, AccessPath]
"""A parameter of a function, and the file in which that stands."""


class PassedValue(NamedTuple):
    """What one call passes to a parameter."""

    file: int
    """The file in which the call stands."""
    value: Value
    rest: Value
    """The same but for the parameters that the caller hands on."""
    handed_on: tuple[Parameter, ...]
    """These parameters. They are told apart once: a parameter is asked about again and again."""


def passed_value(file: int, value: Value) -> PassedValue:
    """What a call in a file passes."""
    handed_on = tuple([(file, each) for each in value.access_paths if each.start is Start.PARAMETER and not each.path])
    if not handed_on:
        return PassedValue(file, value, value, ())
    others = [each for each in value.access_paths if each.start is not Start.PARAMETER or each.path]
    return PassedValue(file, value, value.with_access_paths(*others), handed_on)


@dataclass(slots=True, eq=False)
class Reaching:
    """What reaches one parameter. It is compared by identity: hashing a parameter takes longer than all else here."""

    things: dict[Thing, None] = field(default_factory=dict)
    """What calls pass to it, and to parameters that are handed on to it."""
    declared: tuple[Thing, ...] = ()
    """Objects of the class that its annotation names, or else that of a parameter that is handed on to it."""


def spread(found: Iterable[Reaching], sources: Iterable[tuple[Reaching, Sequence[Reaching]]]) -> None:
    """Add to each parameter what reaches the `sources` that are handed on to it, at any distance and in circles.

    No more things are kept than show that there are too many, so each parameter changes only a few times and the work
    is linear in the sources.
    """
    users: dict[Reaching, list[Reaching]] = {}
    for user, given in sources:
        for source in given:
            users.setdefault(source, []).append(user)
    # Those that were met last lie farthest from the question: from there, most chains settle in one pass.
    waiting = list(found)
    while waiting:
        source = waiting.pop()
        waiting += _changed(source, users.get(source, ()))


def _changed(new: Reaching, users: Sequence[Reaching]) -> Iterator[Reaching]:
    """Hand what reaches a parameter on to its users; those to which that is new."""
    for old in users:
        before = len(old.things)
        old.things = few_of(old.things | new.things)
        takes_class = bool(new.declared) and not old.declared
        if takes_class:
            old.declared = new.declared
        if len(old.things) > before or takes_class:
            yield old
