"""What an access path leads to in a project: functions, classes, objects, modules, values known elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from trainlint.analysis.types.values import Value

MOST_THINGS = 6
"""An access path that leads to more things than this, or to more values than this, tells nothing."""
MOST_FUNCTIONS = 12
"""What runs is not known of a call that may run more functions than this, nor what it returns."""
ALL_GIVEN = 99
"""More parameters than a function has."""


@dataclass(frozen=True, slots=True)
class FunctionThing:
    """A function of a file, by its key."""

    file: int
    key: str
    bound: bool = False
    """It is called on an object, which takes its first parameter."""
    given: int = 0
    """Of the other parameters, this many are filled before the call: by `functools.partial`, or by autograd."""


@dataclass(frozen=True, slots=True)
class ClassThing:
    """A class at the top of a file."""

    file: int
    name: str


@dataclass(frozen=True, slots=True)
class ObjectThing:
    """An object of a class."""

    file: int
    name: str
    own: bool = False
    """Seen from inside a method: its class may be any that derives from this one."""


@dataclass(frozen=True, slots=True)
class LoaderThing:
    """The data loader that one call of a file builds."""

    file: int
    call: str
    """The key of the call."""


@dataclass(frozen=True, slots=True)
class ModuleThing:
    """A file as a module."""

    file: int


@dataclass(frozen=True, slots=True)
class ValueThing:
    """A value, as the file where it arises knows it."""

    file: int
    """NO_FILE for a value without access paths, which means the same everywhere."""
    value: Value


@dataclass(frozen=True, slots=True)
class ChoiceThing:
    """One of several classes, functions or modules: an entry of a registry, or what a name that the run decides means.

    It stays one thing while it is called and its attributes are read, however many it may be.
    """

    file: int
    """The file of the table or module; NO_FILE for a library's."""
    name: str
    """The table's variable; for libraries the dotted origin, for modules a pattern of their names, and where there is
    an `owner` a pattern of the names of its attributes."""
    path: tuple[str | int, ...] = ()
    """What is done with it: attributes and elements that are read, calls."""
    owner: ClassThing | ObjectThing | ModuleThing | None = None
    """What has the attributes among which the choice is made."""

    def then(self, part: str | int) -> ChoiceThing:
        """What comes of one more step."""
        return ChoiceThing(self.file, self.name, (*self.path, part), self.owner)


NO_FILE = -1
CALL = "()"
"""In the path of a choice: it is called."""

Thing: TypeAlias = FunctionThing | ClassThing | ObjectThing | LoaderThing | ModuleThing | ValueThing | ChoiceThing


def first_things(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """The first things, once each: no more than show that there are too many.

    Values are counted apart from all else: each function that hands an object on may add what it knows of the value,
    so a long way from a constructor to a call has many values for one object. So are functions, since many classes may
    override one method.
    """
    found: dict[Thing, None] = {}
    counts = [0] * len(_MOST)
    for thing in things:
        if thing not in found:
            sort = _sort(thing)
            if counts[sort] <= _MOST[sort]:
                found[thing] = None
                counts[sort] += 1
    return tuple(found)


def few_of(things: dict[Thing, None]) -> dict[Thing, None]:
    """The first of things that are all different, mostly all: to hash a thing takes longer than all else here."""
    return things if len(things) <= MOST_THINGS + 1 else dict.fromkeys(first_things(things))


def too_many(things: Collection[Thing]) -> bool:
    """Whether things, or the values or functions among them, are too many to tell anything."""
    if len(things) <= MOST_THINGS:
        return False
    counts = [0] * len(_MOST)
    for thing in things:
        counts[_sort(thing)] += 1
    return any(count > most for count, most in zip(counts, _MOST, strict=True))


_MOST = (MOST_THINGS, MOST_FUNCTIONS, MOST_THINGS)
"""How many of each sort tell something."""


def _sort(thing: Thing) -> int:
    return 0 if isinstance(thing, ValueThing) else 1 if isinstance(thing, FunctionThing) else 2
