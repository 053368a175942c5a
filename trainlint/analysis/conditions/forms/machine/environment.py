"""Tests of environment variables that exist for watching a run: `os.environ.get("DEBUG") == "1"`."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.forms.counters import words
from trainlint.analysis.conditions.forms.intervals import asks_interval
from trainlint.analysis.conditions.forms.switches import is_flag
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import constant

_ENVIRONMENT = frozenset({"environ", "getenv"})
_ON = frozenset({"1", "true", "yes", "on"})


def compared(question: Question) -> Condition | None:
    """A variable of the environment that must be set to "1" or "true" for the sake of watching."""
    test = question.test
    assert isinstance(test, ast.Compare)
    value = constant(test.comparators[0])
    same = isinstance(test.ops[0], ast.Eq) if question.outcome else isinstance(test.ops[0], ast.NotEq)
    if not isinstance(value, str) or not same or value.lower() not in _ON:
        return None
    names = words(test.left)
    if not any(name in _ENVIRONMENT for name in names):
        return None
    if not any(is_flag(name) or asks_interval(name) for name in names):
        return None
    return Condition(ConditionKind.OPTION, test.lineno, "only if the environment asks for it", rare=True)
