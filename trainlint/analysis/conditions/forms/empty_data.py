"""Tests for a tensor without elements or hits: `boxes.shape[0] == 0`, `if not boxes.numel():`, `hits.sum() > 0`.

Batches and items without any content are the exception, so code that handles them runs seldom.
"""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import How
from trainlint.analysis.syntax.names import constant, last_name

_SIZES = frozenset({"shape", "size", "numel", "nelement"})
_COUNTS = frozenset({"sum", "count_nonzero"})
_READS = frozenset({"item", "detach", "cpu"})
_COMPARISONS = frozenset({"gt", "ge", "lt", "le", "eq", "ne", "isin", "isclose", "logical_and", "logical_or"})


def compared(question: Question) -> Condition | None:
    """`boxes.shape[0] == 0`, `boxes.numel() < 1`, and the `else` of `boxes.size(0) > 0`."""
    test = question.test
    assert isinstance(test, ast.Compare)
    operator, limit = test.ops[0], constant(test.comparators[0])
    if isinstance(limit, bool) or not (_is_size(test.left) or _is_count_of_mask(question, test.left)):
        return None
    match operator:
        case ast.Eq() | ast.LtE():
            is_empty = limit == 0 and question.outcome
        case ast.NotEq() | ast.Gt():
            is_empty = limit == 0 and not question.outcome
        case ast.Lt():
            is_empty = limit == 1 and question.outcome
        case ast.GtE():
            is_empty = limit == 1 and not question.outcome
        case _:
            return None
    return _rarely(question) if is_empty else None


def called(question: Question) -> Condition | None:
    """`if not boxes.numel():`."""
    return _rarely(question) if not question.outcome and _is_size(question.test) else None


def _is_count_of_mask(question: Question, node: ast.expr) -> bool:
    """Whether an expression, or what its name holds, counts where a mask is true: `(overlap > 0.5).sum()`."""
    if isinstance(node, ast.Name):
        bindings = question.bindings(node)
        only = bindings[0] if len(bindings) == 1 else None
        if only is None or only.how is not How.ASSIGN or only.value is None or only.path:
            return False
        node = only.value
    while isinstance(node, ast.Call) and last_name(node.func) in _READS and isinstance(node.func, ast.Attribute):
        node = node.func.value
    if not isinstance(node, ast.Call) or last_name(node.func) not in _COUNTS:
        return False
    counted = node.func.value if isinstance(node.func, ast.Attribute) and not node.args else next(iter(node.args), None)
    return counted is not None and _is_mask(question, counted)


def _is_mask(question: Question, node: ast.expr) -> bool:
    """Whether a value is a comparison, element by element."""
    if isinstance(node, ast.Name):
        bindings = question.bindings(node)
        return bool(bindings) and all(
            item.how is How.ASSIGN and not item.path and item.value is not None and _compares(item.value)
            for item in bindings
        )
    return _compares(node)


def _compares(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return last_name(node.func) in _COMPARISONS
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        return _compares(node.left) or _compares(node.right)
    return isinstance(node, ast.Compare)


def _rarely(question: Question) -> Condition:
    return Condition(ConditionKind.UNKNOWN, question.test.lineno, "where there is no data", rare=True)


def _is_size(node: ast.expr) -> bool:
    """Whether an expression is a size of what is no list that the program keeps: of a tensor, most likely."""
    if isinstance(node, ast.Subscript):
        node = node.value
        return isinstance(node, ast.Attribute) and node.attr == "shape"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and last_name(node.func) in _SIZES
