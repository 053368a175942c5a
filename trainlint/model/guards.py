"""Tests that let code run only now and then: intervals, first steps, flags, failures.

Guards are read as people write them: `step % n == 0`, `not step % n`, booleans computed lines before,
early exits, `and`/`or` of those. A test on the rank is no guard: the job waits for its slowest rank.
"""

from __future__ import annotations

import ast
import re

from trainlint.model.blocks import Block
from trainlint.model.lookup import single_value
from trainlint.model.names import constant, last_name

_EVERY_UPDATE = re.compile(
    r"accum|update_freq|update_every|grad_acc|micro|critic|disc|policy|train_freq|target", re.IGNORECASE
)
"""Divisors of intervals that belong to training itself: what they guard is still a step."""
_FLAG = re.compile(
    r"(^|_)(log|logs|logging|debug|debugging|verbose|plot|profile|profiling|profiler|save|saving|vis|"
    r"visuali[sz]e|print|"
    r"display|dump|sanity|dry_run|first|first_step|first_batch|synchroni[sz]e\w*|report|summary|checkpoint|"
    r"ckpt|snapshot|benchmark|is_last)($|_)",
    re.IGNORECASE,
)
_ASKS_INTERVAL = re.compile(r"^should_|freq|interval|(^|_)every($|_)|(^|_)time_to", re.IGNORECASE)
_COUNTER = re.compile(
    r"(^|_)(i|j|k|n|it|iter|iters|iteration|step|steps|idx|index|batch|count|counter|num_batch)($|_|s$)", re.IGNORECASE
)
_NO_COUNTER = re.compile(r"epoch|gpu|device|class|node|proc|worker|rank", re.IGNORECASE)
"""Numbers of other things than steps: `n_gpu == 1` holds in all steps or in none."""
_FAILURE_TRUE = frozenset({"isnan", "isinf", "is_nan", "is_inf", "has_nan", "has_inf", "isneginf", "isposinf"})
_FAILURE_FALSE = frozenset({"isfinite", "is_finite"})
_CLOCKS = frozenset({"time", "monotonic", "perf_counter", "process_time"})
_SMALL_INTERVAL = 10


def rare_when(test: ast.expr, truth: bool, block: Block, depth: int = 0) -> bool:
    """Whether `test` comes out as `truth` only now and then, counted in training steps."""
    if depth > 8:
        return False
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return rare_when(test.operand, not truth, block, depth + 1)
    if isinstance(test, ast.BoolOp):
        each = (rare_when(value, truth, block, depth + 1) for value in test.values)
        return any(each) if isinstance(test.op, ast.And) == truth else all(each)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _rare_comparison(test, truth, block)
    if isinstance(test, ast.BinOp) and isinstance(test.op, ast.Mod):
        return not truth and _is_interval(test)
    if isinstance(test, ast.Call):
        return _rare_call(test, truth, block, depth)
    if isinstance(test, ast.Name | ast.Attribute):
        return _rare_name(test, truth, block, depth)
    return False


def _rare_comparison(test: ast.Compare, truth: bool, block: Block) -> bool:
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, ast.Eq | ast.NotEq) and _is_counter(right) and not _is_counter(left):
        left, right = right, left
    remainder = next((side for side in (left, right) if _interval_inside(side, block)), None)
    if remainder is not None:
        if isinstance(operator, ast.Eq | ast.Lt | ast.LtE):
            return truth
        return isinstance(operator, ast.NotEq | ast.Gt | ast.GtE) and not truth
    if _is_elapsed_time(left, block) and isinstance(operator, ast.Gt | ast.GtE):
        return truth
    if _is_counter(left):
        if isinstance(operator, ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
            return truth
        if any(_EVERY_UPDATE.search(word) for word in _words(right)):
            return False
        if isinstance(operator, ast.Eq):
            return truth
        if isinstance(operator, ast.NotEq):
            return not truth
        number = constant(right)
        if isinstance(operator, ast.Lt | ast.LtE) and isinstance(number, int):
            return truth
    return False


def _interval_inside(node: ast.expr, block: Block) -> bool:
    """Whether a side of a comparison is `counter % interval`, also by a name assigned so."""
    value = single_value(node, block)
    node = value if value is not None else node
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_interval(node)


def _is_interval(node: ast.BinOp) -> bool:
    divisor = constant(node.right)
    if isinstance(divisor, int):
        return divisor >= _SMALL_INTERVAL
    if isinstance(divisor, float | str) or isinstance(node.left, ast.Constant | ast.JoinedStr):
        return False
    return not any(_EVERY_UPDATE.search(word) for word in _words(node.right))


def _words(node: ast.expr) -> list[str]:
    """The names and strings in an expression."""
    parts = list(ast.walk(node))
    names = [last_name(part) for part in parts if isinstance(part, ast.Name | ast.Attribute | ast.Subscript)]
    return names + [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _is_elapsed_time(node: ast.expr, block: Block) -> bool:
    """Whether an expression is the time since an earlier one, as in `time.time() - last`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    now = single_value(node.left, block) or node.left
    return isinstance(now, ast.Call) and last_name(now.func) in _CLOCKS


def _is_counter(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and isinstance(constant(node.right), int):
        node = node.left  # the same counter, from one instead of zero
    return (
        isinstance(node, ast.Name | ast.Attribute)
        and bool(_COUNTER.search(last_name(node)))
        and not _NO_COUNTER.search(last_name(node))
    )


def _rare_call(test: ast.Call, truth: bool, block: Block, depth: int) -> bool:
    name = last_name(test.func)
    if name in _FAILURE_TRUE:
        return truth
    if name in _FAILURE_FALSE:
        return not truth
    if name in ("any", "all", "bool") or (name == "item" and not test.args):
        inner = test.func.value if isinstance(test.func, ast.Attribute) else (test.args[0] if test.args else None)
        if isinstance(inner, ast.GeneratorExp | ast.ListComp):
            inner = inner.elt
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.BitOr):
            inner = inner.left
        return inner is not None and rare_when(inner, truth, block, depth + 1)
    return truth and bool(_FLAG.search(name) or _ASKS_INTERVAL.search(name))


def _rare_name(test: ast.Name | ast.Attribute, truth: bool, block: Block, depth: int) -> bool:
    value = single_value(test, block)
    if value is not None and not isinstance(value, ast.Constant) and rare_when(value, truth, block, depth + 1):
        return True
    name = last_name(test)
    if name == "training":
        return not truth
    return truth and bool(_FLAG.search(name) or _ASKS_INTERVAL.search(name))
