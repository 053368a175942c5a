"""Functions that hand on what they iterate, functions that count, and progress bars.

One row for each function. Loops are followed through a wrapper as soon as it has a row here.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from trainlint.patterns import lazy


class Yields(Enum):
    """What one item of the result is."""

    ITEMS = auto()
    """An item of the one iterable that is given."""
    NUMBERED = auto()
    """A pair of a number and an item."""
    TUPLES = auto()
    """A tuple with an item of each iterable that is given."""
    JOINED = auto()
    """An item of one of the iterables that are given."""
    NUMBERS = auto()
    """A number; what is given says how many."""
    NOTHING = auto()
    """The result is not iterated: a progress bar that is updated by calls."""


class IterableFunction(NamedTuple):
    """One function, by the last name under which it is called."""

    name: str
    yields: Yields = Yields.ITEMS
    at: int = 0
    """The position of the iterable, where there is one."""
    endless: bool = False
    at_once: bool = False
    """Whether the call itself goes through all items, not the loop over its result."""


_ROWS = (
    # Built-ins
    IterableFunction("enumerate", Yields.NUMBERED),
    IterableFunction("zip", Yields.TUPLES),
    IterableFunction("filter", at=1),
    IterableFunction("iter"),
    IterableFunction("list", at_once=True),
    IterableFunction("tuple", at_once=True),
    IterableFunction("sorted", at_once=True),
    IterableFunction("reversed"),
    IterableFunction("range", Yields.NUMBERS),
    # itertools, and methods of streaming data sets of the same names
    IterableFunction("chain", Yields.JOINED),
    IterableFunction("count", Yields.NUMBERS, endless=True),
    IterableFunction("cycle", endless=True),
    IterableFunction("islice"),
    IterableFunction("repeat", endless=True),
    IterableFunction("take"),
    IterableFunction("head", Yields.NOTHING),
    # tqdm; any other name that ends so is one of its bars, too
    IterableFunction("tqdm"),
    IterableFunction("tqdm_notebook"),
    IterableFunction("trange", Yields.NUMBERS),
    # alive-progress, rich, fastprogress, progressbar2, dora, flashy
    IterableFunction("alive_it"),
    IterableFunction("alive_bar", Yields.NOTHING),
    IterableFunction("track"),
    IterableFunction("Progress", Yields.NOTHING),
    IterableFunction("progress_bar"),
    IterableFunction("progressbar"),
    IterableFunction("ProgressBar", Yields.NOTHING),
    IterableFunction("LogProgress", at=1),
    IterableFunction("log_progress", at=1),
    # Others: the meters of torchvision's references, Accelerate, Numba
    IterableFunction("log_every"),
    IterableFunction("skip_first_batches"),
    IterableFunction("prange", Yields.NUMBERS),
    IterableFunction("range_progress"),
)
FUNCTIONS: dict[str, IterableFunction] = {row.name: row for row in _ROWS}
"""The rows by name."""
NAMES = tuple(row.name for row in _ROWS)
_TQDM = FUNCTIONS["tqdm"]
PACKAGES = ("itertools", "tqdm", "alive_progress", "rich", "progressbar")
"""Packages whose functions of these names surely hand on the very items, and do nothing else with them."""
_WRAPPER_NAME = lazy(
    r"iter|loop|cycle|forever|infinite|endless|repeat|progress|pbar|bar$|prefetch|track|every|stream|limit|take|skip|"
    r"buffer|wrap|to_device|enumerate",
    re.IGNORECASE,
)


def function_named(name: str) -> IterableFunction | None:
    """The row of a function, by its last name; None for any other function."""
    return FUNCTIONS.get(name) or (_TQDM if name.lower().endswith(_TQDM.name) else None)


def _yields(name: str) -> Yields | None:
    row = function_named(name)
    return row.yields if row is not None else None


def passes_items_through(name: str) -> bool:
    """Whether a function hands on, one by one, the items of what it is given."""
    return _yields(name) in (Yields.ITEMS, Yields.NUMBERED, Yields.TUPLES, Yields.JOINED)


def numbers_items(name: str) -> bool:
    """Whether each item of the result is a pair of a number and an item: `enumerate`."""
    return _yields(name) is Yields.NUMBERED


def zips_items(name: str) -> bool:
    """Whether each item of the result has one item of each iterable: `zip`."""
    return _yields(name) is Yields.TUPLES


def nests_items(name: str) -> bool:
    """Whether items are handed on inside tuples, so that a loop's target unpacks one more level."""
    return numbers_items(name) or zips_items(name)


def yields_numbers(name: str) -> bool:
    """Whether a function counts, with or without an end."""
    return _yields(name) is Yields.NUMBERS


def counts_rounds(name: str) -> bool:
    """Whether a function counts to a number that it is given: `range`, `trange`."""
    row = function_named(name)
    return row is not None and row.yields is Yields.NUMBERS and not row.endless


def only_iterates(name: str) -> bool:
    """Whether a call does nothing with items but hand them on or count them."""
    return passes_items_through(name) or yields_numbers(name)


def reads_all_items(name: str) -> bool:
    """Whether the call itself goes through all items: `list`, `sorted`."""
    row = function_named(name)
    return row is not None and row.at_once


def may_pass_items_through(name: str) -> bool:
    """Whether a project's own function is called like one that hands on what it iterates: a guess from its name."""
    return bool(_WRAPPER_NAME.search(name))
