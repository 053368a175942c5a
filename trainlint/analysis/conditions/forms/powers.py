"""Tests that hold at powers of a number: `step.bit_count() == 1`, `math.log2(step).is_integer()`."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.forms.counters import is_counter
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import constant, last_name

_ASKS = frozenset({"is_power_of_two", "is_power_of_2", "is_pow2"})
_LOGARITHMS = frozenset({"log2", "log10"})


def compared(question: Question) -> Condition | None:
    """`step.bit_count() == 1` and `bin(step).count("1") == 1`."""
    test = question.test
    assert isinstance(test, ast.Compare)
    if not isinstance(test.ops[0], (ast.Eq, ast.NotEq)) or constant(test.comparators[0]) != 1:
        return None
    counted = test.left
    if not isinstance(counted, ast.Call) or not isinstance(counted.func, ast.Attribute):
        return None
    number = counted.func.value
    if counted.func.attr == "count" and isinstance(number, ast.Call) and last_name(number.func) == "bin":
        if [constant(given) for given in counted.args] != ["1"] or len(number.args) != 1:
            return None
        number = number.args[0]
    elif counted.func.attr != "bit_count":
        return None
    return _at_powers(question, number, isinstance(test.ops[0], ast.Eq) == question.outcome)


def called(question: Question) -> Condition | None:
    """`math.log2(step).is_integer()` and `is_power_of_two(step)`."""
    call = question.test
    assert isinstance(call, ast.Call)
    name = last_name(call.func)
    if name == "is_integer" and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        call = call.func.value
        name = last_name(call.func)
    if name not in _ASKS | _LOGARITHMS or len(call.args) != 1:
        return None
    return _at_powers(question, call.args[0], question.outcome)


def _at_powers(question: Question, number: ast.expr, holds: bool) -> Condition | None:
    if not is_counter(number):
        return None
    return Condition(ConditionKind.INTERVAL, question.test.lineno, "at powers of a number", rare=holds)
