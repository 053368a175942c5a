"""What an access path leads to in a project: functions, classes, objects, modules, values known elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from trainlint.analysis.types.values import Value


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
class ModuleThing:
    """A file as a module."""

    file: int


@dataclass(frozen=True, slots=True)
class ValueThing:
    """A value, as the file where it arises knows it."""

    file: int
    value: Value


Thing: TypeAlias = FunctionThing | ClassThing | ObjectThing | ModuleThing | ValueThing
