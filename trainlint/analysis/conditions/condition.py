"""What a test says of how often code runs, as data, and how the parts of `and` and `or` add up."""

from __future__ import annotations

from collections.abc import Sequence
from enum import auto
from typing import NamedTuple

from trainlint.analysis.syntax.fast_enum import Choice


class ConditionKind(Choice):
    """What decides whether the code runs."""

    ALWAYS = auto()
    """`if True:`, and what follows `if ...: raise`."""
    NEVER = auto()
    INTERVAL = auto()
    """Every n steps, at listed steps, in the first steps, or when enough time has passed."""
    CHANCE = auto()
    """A random number decides."""
    FIRST_TIME = auto()
    """The branch makes what the test misses, so it runs once."""
    MISSING = auto()
    """Something is None, empty or absent, and nothing says that this stays so or ends."""
    PARAMETER = auto()
    """A parameter that is None by default was passed, or was not: each call decides."""
    RANK = auto()
    """Some of the processes of a distributed job."""
    PHASE = auto()
    """Training or evaluation."""
    OPTION = auto()
    """A setting of the program."""
    HARDWARE = auto()
    """The machine or the size of the job: CUDA, the number of processes."""
    VERSION = auto()
    """The version of a library, or what it offers."""
    FAILURE = auto()
    """Something went wrong: NaN, overflow, an exception, an assertion."""
    NEW_BEST = auto()
    """A better result than all before."""
    UNKNOWN = auto()


_EACH_STEP = frozenset(
    {
        ConditionKind.ALWAYS,
        ConditionKind.RANK,
        ConditionKind.PHASE,
        ConditionKind.HARDWARE,
        ConditionKind.VERSION,
    }
)
"""Kinds that hold in each training step of a process, or in none, unless the condition is rare."""
_UNKNOWN = frozenset({ConditionKind.UNKNOWN, ConditionKind.MISSING})


class Condition(NamedTuple):
    """When code behind a test runs, counted in training steps."""

    kind: ConditionKind
    line: int = 0
    words: str = ""
    """The condition for people: "every 100 steps", "only on some ranks"."""
    rare: bool = False
    """Whether it holds in few training steps, or in none."""
    steps: int | None = None
    """For INTERVAL: how many steps lie between two runs, where that is written out."""
    name: str = ""
    """For OPTION and PARAMETER: which one."""
    value: bool | None = None
    """For OPTION: whether it must be on; for PARAMETER: whether it must be passed."""
    default: bool | None = None
    """For OPTION: what it is by default, where the file says so."""
    parts: tuple[Condition, ...] = ()
    """Conditions that must all hold, where there are several."""

    @property
    def is_unknown(self) -> bool:
        """Whether the test, or a part of it, neither proves that the code runs seldom nor that it runs each time."""
        if self.rare:
            return False
        if not self.parts:
            return self.kind in _UNKNOWN
        return any(part.kind in _UNKNOWN for part in self.parts)

    @property
    def holds_each_step(self) -> bool:
        """Whether it holds in each training step on a machine, or a rank, where it ever does."""
        return not self.rare and all(part.kind in _EACH_STEP for part in self.all)

    @property
    def all(self) -> tuple[Condition, ...]:
        """The conditions that must all hold: its parts, or itself."""
        return self.parts or (self,)


ALWAYS = Condition(ConditionKind.ALWAYS, words="always")
NEVER = Condition(ConditionKind.NEVER, words="never", rare=True)
UNKNOWN = Condition(ConditionKind.UNKNOWN, words="behind a test")


def all_of(conditions: Sequence[Condition]) -> Condition:
    """The condition that holds where all of several hold."""
    found = [part for condition in conditions for part in condition.all if part.kind is not ConditionKind.ALWAYS]
    if not found:
        return ALWAYS
    first = min(found, key=_order_of_decision)
    if len(found) == 1 or first.kind is ConditionKind.NEVER:
        return first
    words = " and ".join(dict.fromkeys(part.words for part in found))
    return Condition(first.kind, first.line, words, first.rare, first.steps, parts=tuple(found))


def _order_of_decision(condition: Condition) -> int:
    """Which of several conditions that must all hold says how often that is: the one with the least number."""
    if condition.kind is ConditionKind.NEVER:
        return 0
    return 1 if condition.rare else 2 if condition.is_unknown else 3


def any_of(conditions: Sequence[Condition]) -> Condition:
    """The condition that holds where one of several holds: as frequent as the most frequent of them."""
    found = [condition for condition in conditions if condition.kind is not ConditionKind.NEVER]
    if not found:
        return NEVER
    if len(found) == 1 or all(condition.rare for condition in found):
        return found[0]
    if all(condition.kind is found[0].kind and not condition.parts for condition in found):
        often = next(condition for condition in found if not condition.rare)
        return Condition(often.kind, often.line, often.words, steps=often.steps)
    return _any_of_several_kinds(found)


def _any_of_several_kinds(found: Sequence[Condition]) -> Condition:
    frequent = [condition for condition in found if condition.holds_each_step]
    if frequent:
        return next((item for item in frequent if item.kind is ConditionKind.ALWAYS), frequent[0])
    missing = next((item for item in found if item.kind in (ConditionKind.MISSING, ConditionKind.FIRST_TIME)), None)
    if missing is not None:
        return Condition(ConditionKind.MISSING, missing.line, "where something is missing")
    return Condition(ConditionKind.UNKNOWN, found[0].line, UNKNOWN.words)
