"""Where a value comes from that its own file does not know: names of things that other files may explain.

A pointer holds no tree. It starts at something that has a name in its file (an import, a parameter, a call, a
class, an attribute) and goes on along a path of attributes and indices. `trainlint.linking` follows pointers
through a project.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

ANY = -1
"""In a path: some element, which one is unknown."""
LONGEST_PATH = 5
MOST = 4
"""More pointers than this say nothing of one value."""


class Start(Enum):
    """What a pointer starts at."""

    NAME = auto()
    """`of` is the dotted origin of an imported name."""
    LOCAL = auto()
    """`of` is the key of a function, the name of a class at the top of the file, or one that it imports with a star."""
    PARAMETER = auto()
    """`of` is the key of a function, `name` that of its parameter."""
    CALL = auto()
    """`of` is the key of a call: what it returns."""
    INSTANCE = auto()
    """`of` is the name of a class of the file: an object of it, or of a class derived from it."""
    SUPER = auto()
    """`of` is the name of a class of the file: an object seen as one of its base classes."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """One place where a value may come from."""

    start: Start
    of: str
    name: str = ""
    path: tuple[str | int, ...] = ()
    file: int = -1
    """The file whose names these are, where that is not the one at hand: only linking sets it."""

    def then(self, part: str | int) -> Pointer:
        """The pointer to an attribute (a name) or an element (an index) of what this one points to."""
        return replace(self, path=(*self.path, part))


def along(pointers: tuple[Pointer, ...], part: str | int) -> tuple[Pointer, ...]:
    """Each pointer one part further, as far as that can mean anything."""
    return tuple(pointer.then(part) for pointer in pointers if len(pointer.path) < LONGEST_PATH)


def together(pointers: list[Pointer]) -> tuple[Pointer, ...]:
    """The pointers of a value that may come from any of several places; none where these are too many."""
    found = tuple(dict.fromkeys(pointers))
    return found if len(found) <= MOST else ()
