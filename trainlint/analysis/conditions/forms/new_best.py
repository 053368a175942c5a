"""Tests for a better result than all before: `if score > best: best = score`, `if is_best:`."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import NAMES, dotted, last_name
from trainlint.patterns import lazy

_BEST = lazy(r"(^|_)(best|lowest|highest)($|_)", re.IGNORECASE)
_IS_BEST = lazy(r"^(is_|new_|is_new_)best($|_)|^(has_|is_)?improved$", re.IGNORECASE)


def compared(question: Question) -> Condition | None:
    """A comparison with the best value so far, in a branch that replaces it."""
    test = question.test
    assert isinstance(test, ast.Compare)
    if not isinstance(test.ops[0], (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return None
    best = [dotted(side) for side in (test.left, test.comparators[0]) if _BEST.search(last_name(side))]
    return _new_best(question) if any(name and question.branch_assigns(name) for name in best) else None


def named(question: Question) -> Condition | None:
    """`if is_best:`."""
    return _new_best(question) if question.outcome and is_best(last_name(question.test)) else None


def _new_best(question: Question) -> Condition:
    return Condition(ConditionKind.NEW_BEST, question.test.lineno, "only for a new best result", rare=True)


@lru_cache(NAMES)
def is_best(name: str) -> bool:
    """Whether a name is that of a flag which says that there is a better result."""
    return bool(_IS_BEST.search(name))
