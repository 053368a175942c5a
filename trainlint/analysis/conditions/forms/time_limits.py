"""Tests that hold when enough time, or enough steps, have passed: `time.time() - last > 60`, `step >= next_save`."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.forms.counters import is_counter, words
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.patterns import lazy

_EARLIER = lazy(r"(^|_)(last|prev|previous)($|_)", re.IGNORECASE)
_DUE = lazy(r"(^|_)next($|_)", re.IGNORECASE)
_SINCE = lazy(r"(^|_)(since|elapsed)($|_)", re.IGNORECASE)
_CLOCKS = frozenset(
    {"time", "monotonic", "perf_counter", "process_time", "time_ns", "perf_counter_ns", "now", "utcnow"}
)


def compared_time(question: Question) -> Condition | None:
    """A comparison of what counts up, in steps or in time, with a limit after which it starts anew."""
    test = question.test
    assert isinstance(test, ast.Compare)
    if not isinstance(test.ops[0], (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return None
    larger, smaller = test.left, test.comparators[0]
    if isinstance(test.ops[0], (ast.Lt, ast.LtE)):
        larger, smaller = smaller, larger
    if _grows_until(larger, smaller, question.block):
        passed = question.outcome
    elif _grows_until(smaller, larger, question.block):
        passed = not question.outcome
    else:
        return None
    often = "when enough time has passed" if passed else "until enough time has passed"
    return Condition(ConditionKind.INTERVAL, test.lineno, often, rare=passed)


def _grows_until(grows: ast.expr, limit: ast.expr, block: Block) -> bool:
    """Whether one side counts up until it passes the other."""
    if constant(limit) in (0, 0.0):
        return False  # time has always passed
    made = _single_assigned_value(grows, block)
    if _is_time(made, block):
        return True
    if isinstance(made, (ast.Name, ast.Attribute, ast.Call)) and _SINCE.search(last_name(made)):
        return True
    if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Sub) and is_counter(made.left):
        return bool(_EARLIER.search(last_name(made.right)))
    return is_counter(made) and any(_DUE.search(word) for word in words(limit))


def _is_time(node: ast.expr, block: Block) -> bool:
    """Whether an expression is the time, or the time since an earlier one, as in `time.time() - last`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        node = _single_assigned_value(node.left, block)
    return isinstance(node, ast.Call) and last_name(node.func) in _CLOCKS


def _single_assigned_value(node: ast.expr, block: Block) -> ast.expr:
    """The value of a name that has just one."""
    if isinstance(node, ast.NamedExpr):
        return node.value
    return single_value(node, block) or node
