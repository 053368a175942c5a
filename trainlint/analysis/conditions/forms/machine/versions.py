"""Tests of versions, and of what a library offers: `torch.__version__ >= ...`, `hasattr(torch, "compile")`."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.names import NAMES, constant, dotted, last_name, root_name
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


def in_names_of_module(question: Question) -> Condition | None:
    """`"gather" not in dir(torch)`: whether a library has something, which the branch may put there instead."""
    test = question.test
    assert isinstance(test, ast.Compare)
    module = module_asked_for_names(test)
    if module is None or root_name(module) not in question.flags.outline.imports:
        return None
    if isinstance(test.ops[0], ast.NotIn) == question.outcome and question.branch_assigns(
        f"{dotted(module)}.{constant(test.left)}"
    ):
        return Condition(ConditionKind.VERSION, test.lineno, "only with a version that lacks something", rare=True)
    return Condition(ConditionKind.VERSION, test.lineno, "depending on a version")


def module_asked_for_names(test: ast.AST) -> ast.expr | None:
    """What `"name" in dir(module)`, `in vars(module)` or `in module.__dict__` asks about; None for other tests."""
    match test:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[names]):
            match names:
                case ast.Call(func=ast.Name(id="dir" | "vars"), args=[module]):
                    return module
                case ast.Attribute(attr="__dict__", value=module):
                    return module
    return None


def _of_version(question: Question, names: list[str]) -> Condition | None:
    if not any(map(speaks_of_version, names)):
        return None
    return Condition(ConditionKind.VERSION, question.test.lineno, "depending on a version")


@lru_cache(NAMES)
def speaks_of_version(name: str) -> bool:
    """Whether a name or a string in a test is about versions, or what a module has."""
    return bool(_VERSION.search(name))
