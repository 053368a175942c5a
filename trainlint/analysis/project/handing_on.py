"""What reaches parameters that functions hand on to each other, for all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from trainlint.analysis.project.things import Thing, first_things
from trainlint.analysis.types.access_paths import AccessPath

Parameter: TypeAlias = tuple[int, AccessPath]
"""A parameter of a function, and the file in which that stands."""


@dataclass(slots=True)
class Reaching:
    """What reaches one parameter."""

    things: dict[Thing, None] = field(default_factory=dict)
    """What calls pass to it, and to parameters that are handed on to it."""
    declared: tuple[Thing, ...] = ()
    """Objects of the class that its annotation names, or else that of a parameter that is handed on to it."""


def spread(found: Mapping[Parameter, Reaching], sources: Mapping[Parameter, Sequence[Parameter]]) -> None:
    """Add to each parameter what reaches the `sources` that are handed on to it, at any distance and in circles.

    No more things are kept than show that there are too many, so each parameter changes only a few times and the work
    is linear in the sources.
    """
    users: dict[Parameter, list[Parameter]] = {}
    for user, given in sources.items():
        for source in given:
            users.setdefault(source, []).append(user)
    # Those that were met last lie farthest from the question: from there, most chains settle in one pass.
    waiting = list(found)
    while waiting:
        source = waiting.pop()
        waiting += _changed(found, found[source], users.get(source, ()))


def _changed(found: Mapping[Parameter, Reaching], new: Reaching, users: Sequence[Parameter]) -> Iterator[Parameter]:
    """Hand what reaches a parameter on to its users; those to which that is new."""
    for user in users:
        old = found[user]
        before = len(old.things)
        old.things = dict.fromkeys(first_things((*old.things, *new.things)))
        takes_class = bool(new.declared) and not old.declared
        if takes_class:
            old.declared = new.declared
        if len(old.things) > before or takes_class:
            yield user
