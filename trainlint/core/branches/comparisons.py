"""Read a comparison: intervals, first and last steps, phases by name, devices."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from trainlint.core.branches.branch import PLAIN_BRANCH, Branch
from trainlint.core.branches.names import by_name, last_name
from trainlint.core.branches.words import (
    ACCUMULATION,
    BEST,
    COUNTER,
    EVALUATION,
    GPU,
    INTERVAL,
    LIMIT,
    OFTEN,
    ON_GPU,
    ON_OTHERS,
    PASSED_TIME,
    RANK,
    TRAINING,
)
from trainlint.core.values.kinds import Plain, Tensor, Unknown, Value, is_none

_TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}
ValueOf = Callable[[ast.expr], Value]


def interval(counted: ast.expr, length: ast.expr, value: Value) -> Branch:
    """The branches of `counted % length == 0`, where a counter of steps is counted, or the length is an interval's."""
    if isinstance(length, ast.Constant) and isinstance(length.value, int) and length.value <= OFTEN:
        return PLAIN_BRANCH
    text = ast.unparse(length)
    if not (_is_counter(counted, value) or INTERVAL.search(text)):
        return PLAIN_BRANCH
    if ACCUMULATION.search(text):
        return PLAIN_BRANCH
    return Branch(holds="rare", because=f"every `{text}` steps")


def compared(test: ast.Compare, value_of: ValueOf, hot: bool) -> Branch:
    """The branches of a comparison of two values."""
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    turned = _TURNED.get(type(operator))
    if turned is not None:
        other = ast.copy_location(ast.Compare(left, [turned()], [right]), test)
        return compared(other, value_of, hot).turned
    text = ast.unparse(test)
    equal = isinstance(operator, ast.Eq | ast.Is | ast.In)
    remainder = _remainder(test)
    if remainder is not None:
        return interval(remainder.left, remainder.right, value_of(remainder.left)) if equal else PLAIN_BRANCH
    first, second = value_of(left), value_of(right)
    if isinstance(operator, ast.Is) and isinstance(right, ast.Constant) and right.value is None:
        return _with_none(left, first)
    for answer in (
        _with_words(left, right, first) if equal else None,
        _constants(first, second) if equal else None,
        Branch(truth=True, because="a GPU is there") if _asks_for_gpu(left, text) else None,
        _counted(test, first, equal),
        _measured(test, first, text),
        _flag(left, operator, right, hot),
    ):
        if answer is not None:
            return answer
    return PLAIN_BRANCH


def _remainder(test: ast.Compare) -> ast.BinOp | None:
    """The `step % n` in a comparison; not one of a rank, or of a constant string."""
    for node in ast.walk(test):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return None if RANK.search(ast.unparse(node)) or isinstance(node.left, ast.Constant) else node
    return None


def _asks_for_gpu(left: ast.expr, text: str) -> bool:
    return GPU.search(last_name(left)) is not None and RANK.search(text) is None


def _is_counter(node: ast.expr, value: Value) -> bool:
    """Whether an expression counts steps: by its value, or, where that says nothing, by its name."""
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):  # `step + 1`
        node = node.left
    if isinstance(value, Plain) and value.meaning in ("counter", "inner"):
        return value.meaning == "counter"
    if not isinstance(value, Plain | Unknown) or isinstance(node, ast.Constant):
        return False
    return COUNTER.match(last_name(node)) is not None


def _with_none(left: ast.expr, value: Value) -> Branch:
    if not isinstance(value, Unknown) and not value.maybe_none:
        return Branch(truth=is_none(value))
    if GPU.search(last_name(left)):
        return Branch(truth=False, because="a GPU is there")
    return PLAIN_BRANCH


def _with_words(left: ast.expr, right: ast.expr, value: Value) -> Branch | None:
    """A comparison with strings: phases and devices."""
    words = [node.value for node in ast.walk(right) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if not words:
        return None
    if isinstance(value, Plain) and value.known and value.text is not None and isinstance(right, ast.Constant):
        return Branch(truth=value.text == right.value)
    because = f"`{ast.unparse(left)}` is {words[0]!r}"
    if any(word in ON_GPU for word in words):
        return Branch(truth=True, because="a GPU is there")
    if all(word in ON_OTHERS for word in words):
        return Branch(truth=False, because="for another kind of device")
    if any(TRAINING.search(word) for word in words):
        return Branch(fails="evaluation", because=because)
    if all(EVALUATION.search(word) for word in words):
        return Branch(holds="evaluation", because=because)
    return PLAIN_BRANCH


def _constants(first: Value, second: Value) -> Branch | None:
    if isinstance(first, Plain) and isinstance(second, Plain) and first.known and second.known:
        return Branch(truth=first.constant == second.constant)
    return None


def _counted(test: ast.Compare, value: Value, equal: bool) -> Branch | None:
    """A counter of steps against a number or an end: first steps, last steps, a warm-up."""
    if isinstance(value, Tensor):
        return None
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    because = f"`{ast.unparse(test)}`"
    if not _is_counter(left, value):
        return None
    if equal:
        return Branch(holds="rare", because=because)
    if isinstance(operator, ast.Lt | ast.LtE):
        if isinstance(right, ast.Constant):
            return Branch(holds="rare", because=because)
        return Branch(fails="rare", because=because) if LIMIT.search(ast.unparse(right)) else PLAIN_BRANCH
    if LIMIT.search(last_name(right)):
        return Branch(holds="rare", because=because)
    return Branch(fails="rare", because=because) if isinstance(right, ast.Constant) else PLAIN_BRANCH


def _measured(test: ast.Compare, value: Value, text: str) -> Branch | None:
    """A best result so far, or time that has passed."""
    if any(BEST.search(last_name(side)) for side in (test.left, test.comparators[0])):
        return Branch(holds="rare", because=f"`{text}`")
    later = isinstance(test.ops[0], ast.Gt | ast.GtE)
    if later and not isinstance(value, Tensor) and PASSED_TIME.search(text):
        return Branch(holds="rare", because=f"`{text}`")
    return None


def _flag(left: ast.expr, operator: ast.cmpop, right: ast.expr, hot: bool) -> Branch | None:
    """A flag that is compared with True or False."""
    if not isinstance(operator, ast.Eq | ast.Is) or not isinstance(right, ast.Constant):
        return None
    if not isinstance(right.value, bool):
        return None
    branch = by_name(last_name(left), hot)
    if branch is None:
        return None
    return branch if right.value else branch.turned
