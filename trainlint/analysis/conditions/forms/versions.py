"""Tests of versions, and of what a library offers: `torch.__version__ >= ...`, `hasattr(torch, "compile")`."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import NAMES, last_name
from trainlint.patterns import lazy

_VERSION = lazy(
    r"version|hasattr|find_spec|signature|torch_?\d|torch_(ge|gt|le|lt|greater|less)|_TORCH|TORCH_", re.IGNORECASE
)


def compared(question: Question) -> Condition | None:
    """`Version(torch.__version__) >= Version("2.0")`."""
    return _of_version(question, question.names)


def called(question: Question) -> Condition | None:
    """`hasattr(torch, "compile")`, `is_torch_greater_or_equal("2.0")`."""
    test = question.test
    assert isinstance(test, ast.Call)
    return _of_version(question, [last_name(test.func)])


def named(question: Question) -> Condition | None:
    """`TORCH_2`, `HAS_NEW_VERSION`."""
    return _of_version(question, [last_name(question.test)])


def _of_version(question: Question, names: list[str]) -> Condition | None:
    if not any(map(speaks_of_version, names)):
        return None
    return Condition(ConditionKind.VERSION, question.test.lineno, "depending on a version")


@lru_cache(NAMES)
def speaks_of_version(name: str) -> bool:
    """Whether a name or a string in a test is about versions, or what a module has."""
    return bool(_VERSION.search(name))
