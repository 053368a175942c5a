"""All limits of the abstract run, each with its reason. Nothing here is limited by a clock: load changes no answer.

A limit on code (`Limit`) leaves out what would be executed; the run names it (`Run.left_out`), so that nothing is clean
by accident. A limit on values makes a value less well known, as any value is that comes from a library.

Measured on 24 repositories with 300,000 lines: calls nest at most 24 deep, imports 14, and Python's own stack 342; a
file executes at most 19 times as many statements as it has.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class Limit(Enum):
    """Why code was not executed, as the end of a sentence about it."""

    CONTEXTS = "it is called in more ways than are told apart; the further calls give what the others gave"
    CALLS = "the calls to it nest too deeply to be followed"
    STATEMENTS = "its file takes too many statements to execute"
    NESTING = "its code is nested too deeply to be executed"
    BASES = "it has more base classes than are looked at"
    NAMES = "it imports more names with a star than are looked at"
    CRASH = "trainlint failed on it"
    """No limit of ours, but what goes wrong costs no more than what exceeds one."""


# Code
CONTEXTS: Final = {"step": 12, "cold": 6, "elsewhere": 4}
"""Contexts of a function by how often it runs: what it is given is told apart so often. Most for training steps, where
the place of each tensor counts."""
CONSTRUCTIONS: Final = 24
"""The same for constructors outside of training steps: what an object holds is known from what it is given alone."""
NESTED_CALLS: Final = 45
"""Functions and modules that are executed inside each other. Python's stack has room for 1,000 calls, of which each of
ours takes some 15."""
STATEMENTS_A_LINE: Final = 25
"""Statements that a file may execute, for each of its lines: what loops in loops and contexts multiply ends here."""
FEWEST_STATEMENTS: Final = 20_000
"""Statements that any file may execute: some tenths of a second."""
MOST_STATEMENTS: Final = 400_000
"""Statements that no file may exceed: some seconds."""
NAMES_A_STATEMENT: Final = 64
"""So many names that are copied, or items that are evaluated, count as one more statement."""
BASES: Final = 100
"""Classes in the order in which an attribute is looked up. Each class stores its order: without a limit a chain of
classes takes quadratic memory."""
SUBCLASSES: Final = 20
"""Classes below a class that are asked for what it leaves to them."""
STAR_NAMES: Final = 2_000
"""Names that one star import takes: in a chain of such imports each file has the names of all before."""

FOLLOWING: Final = 20
"""Statements behind a branch that returns that are looked at for what they fill, as each of many would look at all."""

# What is told
TOLD_AGAIN: Final = 20
"""Operations of a body that are told again where the body is called again. Without a limit each call of a function that
calls others would tell all that is below it."""
CHAIN: Final = 5
"""Calls that an event names, innermost last: what fits on a screen."""
CALLS_ABOVE: Final = 3
"""Through how many calls a function is looked for that calls another one in training steps."""
CALL_SITES: Final = 8
"""Calls on all ways to an operation that are told with it."""
WAY: Final = 6
"""Stations of a tensor's way."""

EVALUATED_TEXT: Final = 1_000
"""Characters of a string that is evaluated as code."""
# What is remembered
NAMES: Final = 10_000
"""Names and short pieces of code of which is remembered what they say."""

# Values
LARGEST_NUMBER: Final = 100
"""Larger integers are not told apart, so that functions are not executed anew for each size."""
PARTS: Final = 60
"""Parts of a list, tuple, set or dict that are known one by one."""
FEW_PARTS: Final = 12
"""Parts of a container that count where it is copied or compared at each call."""
ADDED_PARTS: Final = 20
"""Parts of two lists that are added."""
JOINED_PARTS: Final = 8
"""Parts of lists of different lengths that are joined to one."""
OPTIONS: Final = 6
"""What a value may be that can be called: each option is executed."""
LOADERS: Final = 32
"""Loaders that a batch may be of."""
NESTED_CONTAINERS: Final = 2
"""Containers inside containers that are joined, compared and handed on part by part."""
