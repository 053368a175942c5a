"""What branches require of settings: of a function's parameters, of what constructors keep, of a program's options.

A branch of a helper that no call of the training step can take is no part of that step. What a test requires is a
tuple of clauses that must all hold. A clause is a tuple of required values, and one of them must hold.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from trainlint.analysis.conditions.arguments import ANYTHING, BY_DEFAULT, INFINITY, PASSED

TRUTH = ""
"""The operator of a test that asks for a value's truth."""
ANSWER = "()"
"""The operator of a test that asks what a call answers."""
SELDOM = "seldom"
"""The operator of a test that holds in few steps: settings have no say in it, and the code behind it does run."""
_MOST_CLAUSES = 16
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "in": lambda value, several: value in several,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class RequiredValue(NamedTuple):
    """A setting, and what it must be."""

    name: str
    """What people call it."""
    value: str
    """Where its value comes from, in the notation of `arguments`: "=mask" is a parameter. For ANSWER: a call's key."""
    operator: str = TRUTH
    literal: str = ""
    """What it is compared with, as Python writes it."""
    holds: bool = True
    """How the test must come out."""
    function: str = ""
    """The key of the function whose parameter it is, or that assigns the value, where that is not the branch's own."""

    @property
    def opposite(self) -> RequiredValue:
        """What the other branch requires."""
        return self._replace(holds=not self.holds)

    @property
    def asks_for_none(self) -> bool:
        """Whether it must be None, or must not."""
        return self.operator == "==" and self.literal == "None"

    def met_by(self, value: str) -> bool | None:
        """Whether a value meets it; None where the value does not tell."""
        value = value.removeprefix(BY_DEFAULT)
        if value == PASSED:
            return not self.holds if self.asks_for_none else None
        if value == ANYTHING:
            return None
        given = _read(value)
        if self.operator == TRUTH:
            return bool(given) is self.holds
        try:
            return bool(_COMPARE[self.operator](given, _read(self.literal))) is self.holds
        except TypeError:  # such as None < 3
            return None

    @property
    def words(self) -> str:
        """What it needs, for people."""
        if self.asks_for_none:
            return f"only if a call {'leaves out' if self.holds else 'passes'} `{self.name}`"
        if self.operator == ANSWER:
            return f"only if `{self.name}()` answers {'yes' if self.holds else 'no'}"
        literal = "inf" if self.literal == INFINITY else self.literal
        relation = self.operator if self.operator not in (TRUTH, "==") else ""
        what = " ".join(filter(None, (relation, literal))) or "on"
        return f"only if `{self.name}` is{'' if self.holds else ' not'} {what}"


Clauses: TypeAlias = tuple[tuple[RequiredValue, ...], ...]
NOTHING: Clauses = ()
"""Nothing is required, or nothing is known of it."""
IMPOSSIBLE: Clauses = ((),)
IN_FEW_STEPS: Clauses = ((RequiredValue("", "", SELDOM),),)


def in_most_steps(clauses: Clauses) -> Clauses:
    """What is required of settings in most steps: what holds in few of them counts as what never holds."""
    if not any(item.operator == SELDOM for clause in clauses for item in clause):
        return clauses
    left = (tuple([item for item in clause if item.operator != SELDOM]) for clause in clauses)
    return tuple(dict.fromkeys(left))


def at_any_time(clauses: Clauses) -> Clauses:
    """What is required of settings for code to run at all, in whichever step."""
    found = tuple([clause for clause in clauses if all(item.operator != SELDOM for item in clause)])
    return found if len(found) < len(clauses) else clauses


def all_required(parts: Sequence[Clauses]) -> Clauses:
    """What is required where all parts must hold."""
    found = tuple(dict.fromkeys(clause for part in parts for clause in part))
    return found[:_MOST_CLAUSES]


def any_required(parts: Sequence[Clauses]) -> Clauses:
    """What is required where one of the parts must hold; nothing where one of them requires nothing."""
    size = 1
    for part in parts:
        size *= len(part)
        if size > _MOST_CLAUSES:
            return NOTHING
    found = (tuple(dict.fromkeys(item for clause in chosen for item in clause)) for chosen in product(*parts))
    return tuple(dict.fromkeys(found))


@lru_cache(1024)
def _read(text: str) -> object:
    return ast.literal_eval(text)
