"""Tests that hold every n steps, at listed steps or in the first few: `step % 100 == 0`, `step in save_steps`."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.forms.counters import is_counter, is_sum_of_counts, words
from trainlint.analysis.conditions.forms.remainders import EVERY_UPDATE, Remainder, multiple_of, remainder_of
from trainlint.analysis.conditions.interval_lengths import known_interval
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import NAMES, constant, last_name
from trainlint.patterns import lazy

_ASKS_INTERVAL = lazy(
    r"(^|_)should_|freq|interval|(^|_)every($|_)|(^|_)time_to|^(is_)?(end_of_epoch|epoch_end|last_(train_)?batch)$",
    re.IGNORECASE,
)
_ACCUMULATES = frozenset({"sync_gradients"})
"""Flags of libraries that hold at the last of the batches that make a step."""


def compared_remainder(question: Question) -> Condition | None:
    """`step % 100 == 0` and its kin."""
    left, operator, right = _sides(question.test)
    if isinstance(operator, (ast.Is, ast.IsNot)):
        return None  # no numbers, but half of all comparisons
    found = remainder_of(left, question.block)
    few: tuple[type[ast.cmpop], ...] = (ast.Eq, ast.Lt, ast.LtE, ast.In)
    if found is None:
        found, few = remainder_of(right, question.block), (ast.Eq, ast.Gt, ast.GtE)
    return _every(question, found, isinstance(operator, few) == question.outcome) if found is not None else None


def remainder(question: Question) -> Condition | None:
    """`not step % 100`: a remainder whose truth is asked for."""
    found = remainder_of(question.test, question.block)
    return _every(question, found, not question.outcome) if found is not None else None


def compared_counter(question: Question) -> Condition | None:
    """`step == 10`, `step in save_steps` and `step < 3`."""
    left, operator, right = _sides(question.test)
    if isinstance(operator, (ast.Is, ast.IsNot)):
        return None
    if isinstance(operator, (ast.Eq, ast.NotEq)) and is_counter(right) and not is_counter(left):
        left, right = right, left
    if not (is_counter(left) or is_sum_of_counts(left, question.block)):
        return None
    if not _counter_meets(operator, right, question.outcome):
        return None
    return Condition(ConditionKind.INTERVAL, question.test.lineno, "in few steps", rare=True)


def called(question: Question) -> Condition | None:
    """`step.is_multiple_of(100)`, `should_log(step)` and `is_due(step, save_every)`."""
    call = question.test
    assert isinstance(call, ast.Call)
    found = multiple_of(call, question.block)
    if found is not None:
        return _every(question, found, question.outcome)
    if not question.outcome or not (asks_interval(last_name(call.func)) or _divides_counter(call)):
        return None
    return Condition(ConditionKind.INTERVAL, call.lineno, "at an interval", rare=True)


def named(question: Question) -> Condition | None:
    """`if should_log:`, and `accelerator.sync_gradients`, which is a step of its own."""
    name = last_name(question.test)
    if name in _ACCUMULATES:
        return Condition(ConditionKind.INTERVAL, question.test.lineno, "in each step of the optimizer", steps=1)
    if not question.outcome or not asks_interval(name):
        return None
    return Condition(ConditionKind.INTERVAL, question.test.lineno, "at an interval", rare=True)


def names_interval(name: str) -> bool:
    """Whether a flag of this name holds at an interval, or in each step of the optimizer."""
    return name in _ACCUMULATES or asks_interval(name)


@lru_cache(NAMES)
def asks_interval(name: str) -> bool:
    """Whether a name says that something is due at an interval."""
    return bool(_ASKS_INTERVAL.search(name)) and not filters(name)


def filters(name: str) -> bool:
    """Whether a name is that of a switch which leaves values out of what is logged, and looks at each step for that.

    transformers' `logging_nan_inf_filter` is one, and on by default.
    """
    return name.endswith("_filter")


def _every(question: Question, found: Remainder, is_zero: bool) -> Condition:
    """The condition that a remainder is zero, or is not."""
    often = f"every {found.steps} steps" if found.steps is not None else "every n steps"
    if not is_zero:
        return Condition(ConditionKind.INTERVAL, question.test.lineno, f"in all steps but {often}", steps=1)
    steps = found.steps
    if steps is None and found.divisor is not None:
        steps = known_interval(question.flags.outline, found.divisor, question.block)
    return Condition(ConditionKind.INTERVAL, question.test.lineno, often, rare=found.skips_most, steps=steps)


def _sides(test: ast.expr) -> tuple[ast.expr, ast.cmpop, ast.expr]:
    assert isinstance(test, ast.Compare)
    return test.left, test.ops[0], test.comparators[0]


def _counter_meets(operator: ast.cmpop, right: ast.expr, outcome: bool) -> bool:
    """Whether a counter on the left makes a comparison come out so in one step, or in the first few."""
    if isinstance(operator, (ast.In, ast.NotIn)):
        listed = isinstance(right, (ast.Tuple, ast.List, ast.Set, ast.Name, ast.Attribute))
        return listed and isinstance(operator, ast.In) == outcome
    if any(EVERY_UPDATE.search(word) for word in words(right)):
        return False
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        return isinstance(operator, ast.Eq) == outcome
    return isinstance(operator, (ast.Lt, ast.LtE)) and outcome and isinstance(constant(right), int)


def _divides_counter(test: ast.Call) -> bool:
    """Whether a function is asked about a counter and an interval, as in `is_due(step, save_every)`."""
    others = [item for item in test.args if not is_counter(item)]
    return len(test.args) == 2 and len(others) == 1 and any(_ASKS_INTERVAL.search(word) for word in words(others[0]))
