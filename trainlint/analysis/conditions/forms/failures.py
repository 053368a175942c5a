"""Tests that something went wrong: NaN, overflow, running out of memory."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.conditions.settings.holders import option_name
from trainlint.analysis.syntax.names import NAMES, last_name
from trainlint.patterns import lazy

_FAILURE_TRUE = frozenset({"isnan", "isinf", "is_nan", "is_inf", "has_nan", "has_inf", "isneginf", "isposinf"})
_FAILURE_FALSE = frozenset({"isfinite", "is_finite"})
_FAILED = lazy(
    r"(^|_)(overflow\w*|nans?|infs?|isnan|isinf|nonfinite|non_finite|diverged|oom|failed|failure|corrupt\w*)($|_)",
    re.IGNORECASE,
)


def called(question: Question) -> Condition | None:
    """`torch.isnan(loss)` and `math.isfinite(loss)`; `all`, `any` and `item` around them make no difference."""
    call = question.test
    assert isinstance(call, ast.Call)
    name = last_name(call.func)
    if name in _FAILURE_TRUE:
        return _failed(question, question.outcome)
    return _failed(question, not question.outcome) if name in _FAILURE_FALSE else None


def compared(question: Question) -> Condition | None:
    """`loss != loss`: only a NaN differs from itself."""
    test = question.test
    assert isinstance(test, ast.Compare)
    one, operator, other = test.left, test.ops[0], test.comparators[0]
    if not isinstance(operator, (ast.Eq, ast.NotEq)) or type(one) is not type(other):
        return None
    if last_name(one) != last_name(other) or ast.dump(one) != ast.dump(other):
        return None
    return _failed(question, isinstance(operator, ast.NotEq) == question.outcome)


def named(question: Question) -> Condition | None:
    """`if overflow:`, but not `if args.skip_nan:`, which says what is to be done about failures."""
    if not is_failure(last_name(question.test)) or option_name(question.test) is not None:
        return None
    return _failed(question, question.outcome)


def _failed(question: Question, failed: bool) -> Condition:
    if failed:
        return Condition(ConditionKind.FAILURE, question.test.lineno, "only after a failure", rare=True)
    return Condition(ConditionKind.ALWAYS, question.test.lineno, "unless something fails")


@lru_cache(NAMES)
def is_failure(name: str) -> bool:
    """Whether a name is that of a flag which says that something went wrong."""
    return bool(_FAILED.search(name))
