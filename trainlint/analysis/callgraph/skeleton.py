"""A file's blocks, functions and calls without its tree: all that gradient mode and effects are carried by.

A skeleton can be pickled and outlives its file's tree, so that the skeletons of a whole project can be laid
side by side. Blocks, functions and calls are named by their numbers within the file. There are thousands of them, and
named tuples are made and pickled twice as fast as frozen dataclasses.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from trainlint.analysis.syntax.blocks import BlockKind

NOWHERE = -1
"""The number of no block and of no function: what is around the module."""


class Shape(NamedTuple):
    """A block."""

    kind: BlockKind
    parent: int
    line: int


class Handing(Enum):
    """How a call comes to run a function."""

    CALLED = auto()
    RUN = auto()
    """The call runs it at once, though it names another: `map(f, items)`, or the function that a decorator puts around
    what is called."""
    CLOSURE = auto()
    """It is handed to an optimizer's `step`, which runs it."""
    WORKER = auto()
    """It is handed to a loader, whose workers run it."""
    HOOK = auto()
    """It is handed to a framework's trainer, which runs it in each step."""
    PASSED = auto()
    """It is handed to something that may run it."""


class CallLink(NamedTuple):
    """A function of the file that a call runs or hands over."""

    function: int
    confidence: float
    how: Handing = Handing.CALLED


class CallShape(NamedTuple):
    """A call that proves a step, or that runs a function of this or perhaps of another file."""

    block: int
    line: int
    proves_step: bool
    links: tuple[CallLink, ...]
    off: bool
    """Autograd is off here whoever calls the function around."""
    key: str = ""
    """What names this call also after small edits of the file."""
    entered: bool = False
    """What it returns is entered by a `with`."""


class FunctionShape(NamedTuple):
    """A function, method or lambda."""

    key: str
    """Its qualified name, with a number behind the second and later ones of that name."""
    name: str
    qualified_name: str
    owner: str | None
    """The name of the class of which it is a method."""
    body: int
    outside: int
    """The block in which it is defined."""
    off: bool
    """A decorator or a framework runs it with autograd off."""
    outside_off: bool
    """Autograd is off where it is defined."""
    parameters: tuple[str, ...] = ()
    """What a call passes, in order, without the object that it is called on."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """All blocks, functions and telling calls of one file."""

    path: str
    shapes: tuple[Shape, ...]
    functions: tuple[FunctionShape, ...]
    calls: tuple[CallShape, ...]
    bases: dict[str, tuple[str, ...]]
    """Class → its base classes as far as the file shows them, nearest first."""
    is_test_file: bool = False
    """The file tests or measures: nobody waits for its training."""
