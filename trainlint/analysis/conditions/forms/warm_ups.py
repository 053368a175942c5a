"""Tests for the first epochs of a run, in which it warms up: `epoch < self.warmup_epochs`.

A warm-up that counts steps may last for most of a short run, so it is not taken for rare.
"""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import last_name
from trainlint.patterns import lazy

_WARM_UP = lazy(r"warm_?up", re.IGNORECASE)
_COUNTER = lazy(r"(^|_)epochs?(_|$)", re.IGNORECASE)


def compared(question: Question) -> Condition | None:
    """`epoch < warmup_epochs`, `self.warmup_epochs >= epoch`, and the `else` of `epoch >= warmup`."""
    test = question.test
    assert isinstance(test, ast.Compare)
    left, right = last_name(test.left), last_name(test.comparators[0])
    below = isinstance(test.ops[0], (ast.Lt, ast.LtE)) == question.outcome
    warms = below if _is_limit(right, left) else not below if _is_limit(left, right) else False
    if not warms:
        return None
    return Condition(ConditionKind.UNKNOWN, test.lineno, "in the warm-up", rare=True)


def _is_limit(limit: str, counter: str) -> bool:
    """Whether one name is the length of a warm-up, and the other counts epochs."""
    return bool(_WARM_UP.search(limit)) and not _WARM_UP.search(counter) and bool(_COUNTER.search(counter))
