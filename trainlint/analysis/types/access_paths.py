"""Where a value comes from that its own file does not know: names of things that other files may explain.

An access path holds no tree. It starts at something that has a name in its file (an import, a parameter, a call, a
class, an attribute) and goes on along a path of attributes and indices. `trainlint.analysis.project` follows
access paths through a project.
"""

from __future__ import annotations

from enum import auto
from fnmatch import fnmatchcase
from typing import NamedTuple

from trainlint.analysis.syntax.fast_enum import Choice

ANY = -1
"""In a path: some element, which one is unknown."""
PARTIAL = "partial "
"""Begins a part of a path that stands for a function some of whose arguments are given; how many follows."""
SOME = "*"
"""In a path: some attribute, which one is decided when the program runs. A longer part that holds it is a pattern of
names, as in "build_*"."""
BY_NAME = "__dict__"
"""In a path: what a module holds, by names."""
LONGEST_PATH = 5
MOST = 4
"""More access paths than this say nothing of one value."""


class Start(Choice):
    """What an access path starts at."""

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
    MODULES = auto()
    """`of` is a pattern of dotted module names, with `*` for what only the run decides; "" is the file itself."""
    SUPER = auto()
    """`of` is the name of a class of the file: an object seen as one of its base classes."""


class AccessPath(NamedTuple):
    """One place where a value may come from. It is a key on the hot path, and named tuples hash and compare in C."""

    start: Start
    of: str
    name: str = ""
    path: tuple[str | int, ...] = ()
    file: int = -1
    """The file whose names these are, where that is not the one at hand: only linking sets it."""

    @property
    def dotted(self) -> str:
        """The origin of a name with what is asked of it: "torch.nn.functional"."""
        return ".".join((self.of, *map(str, self.path)))

    def then(self, part: str | int) -> AccessPath:
        """The access path to an attribute (a name) or an element (an index) of what this one points to."""
        return AccessPath(self.start, self.of, self.name, (*self.path, part), self.file)

    def before(self) -> AccessPath:
        """The access path to that of which this one points to an attribute or element."""
        return AccessPath(self.start, self.of, self.name, self.path[:-1], self.file)

    def of_file(self, file: int) -> AccessPath:
        """The same among the names of a file."""
        return AccessPath(self.start, self.of, self.name, self.path, file)


def fits(name: str, pattern: str) -> bool:
    """Whether a name may be one that a program puts together by a pattern such as "build_*"."""
    return pattern == SOME or fnmatchcase(name, pattern)


def extended_paths(access_paths: tuple[AccessPath, ...], part: str | int) -> tuple[AccessPath, ...]:
    """Each access path one part further, as far as that can mean anything."""
    return tuple([access_path.then(part) for access_path in access_paths if len(access_path.path) < LONGEST_PATH])


def joined_paths(access_paths: list[AccessPath], most: int = MOST) -> tuple[AccessPath, ...]:
    """The access paths of a value that may come from any of several places; none where these are too many."""
    found = tuple(dict.fromkeys(access_paths)) if len(access_paths) > 1 else tuple(access_paths)
    return found if len(found) <= most else ()
