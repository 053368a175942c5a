"""Comparisons that hold only now and then: of counters, of time, of random numbers."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import NAMES, constant, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.patterns import lazy

_EVERY_UPDATE = lazy(
    r"accum|update_freq|update_every|grad_acc|micro|critic|disc|policy|train_freq|target", re.IGNORECASE
)
"""Divisors of intervals that belong to training itself: what they guard is still a step."""
_COUNTER = lazy(
    r"(^|_)(i|j|k|n|it|itr|iter|iters|iteration|step|steps|idx|index|batch|count|counter|num_batch)($|_|s$)",
    re.IGNORECASE,
)
_NO_COUNTER = lazy(r"epoch|gpu|device|class|node|proc|worker|rank", re.IGNORECASE)
"""Numbers of other things than steps: `n_gpu == 1` holds in all steps or in none."""
_EARLIER = lazy(r"(^|_)(last|prev|previous)($|_)", re.IGNORECASE)
_DUE = lazy(r"(^|_)next($|_)", re.IGNORECASE)
_SINCE = lazy(r"(^|_)(since|elapsed)($|_)", re.IGNORECASE)
_CLOCKS = frozenset(
    {"time", "monotonic", "perf_counter", "process_time", "time_ns", "perf_counter_ns", "now", "utcnow"}
)
_DRAWS = frozenset({"random", "rand", "uniform"})
_SMALL_INTERVAL = 10
_SELDOM = 0.1
"""Code that a random number lets run with at most this chance runs now and then."""


def is_interval(node: ast.expr) -> bool:
    """Whether an expression is `counter % interval`, with an interval that skips most steps."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mod):
        return False
    divisor = constant(node.right)
    if isinstance(divisor, int):
        return divisor >= _SMALL_INTERVAL
    if isinstance(divisor, (float, str)) or isinstance(node.left, (ast.Constant, ast.JoinedStr)):
        return False
    return not any(_EVERY_UPDATE.search(word) for word in words(node.right))


def words(node: ast.expr) -> list[str]:
    """The names and strings in an expression."""
    parts = nodes_in(node)
    names = [last_name(part) for part in parts if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript))]
    return names + [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def compares_rarely(left: ast.expr, operator: ast.cmpop, right: ast.expr, truth: bool, block: Block) -> bool:
    """Whether one comparison comes out as `truth` only now and then."""
    if isinstance(operator, (ast.Is, ast.IsNot)):
        return False  # of no number, but half of all comparisons
    if isinstance(operator, (ast.Eq, ast.NotEq)) and is_counter(right) and not is_counter(left):
        left, right = right, left
    if is_interval(_meant(left, block)):
        return isinstance(operator, (ast.Eq, ast.Lt, ast.LtE, ast.In)) == truth
    if is_interval(_meant(right, block)):
        return isinstance(operator, (ast.Eq, ast.Gt, ast.GtE)) == truth
    if isinstance(operator, (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        larger, smaller = (left, right) if isinstance(operator, (ast.Gt, ast.GtE)) else (right, left)
        if _grows_until(larger, smaller, block):
            return truth
        if _grows_until(smaller, larger, block):
            return not truth
        if _is_draw(smaller) and _is_small(larger):
            return truth
    return (is_counter(left) or _is_sum_of_counts(left, block)) and _counter_meets(operator, right, truth)


def _counter_meets(operator: ast.cmpop, right: ast.expr, truth: bool) -> bool:
    """Whether a counter on the left makes a comparison come out as `truth` in one step, or in the first few."""
    if isinstance(operator, (ast.In, ast.NotIn)):
        listed = isinstance(right, (ast.Tuple, ast.List, ast.Set, ast.Name, ast.Attribute))
        return listed and isinstance(operator, ast.In) == truth
    if any(_EVERY_UPDATE.search(word) for word in words(right)):
        return False
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        return isinstance(operator, ast.Eq) == truth
    return isinstance(operator, (ast.Lt, ast.LtE)) and truth and isinstance(constant(right), int)


def is_counter(node: ast.expr) -> bool:
    """Whether an expression is called like a count of steps, also one more or less than it."""
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Add, ast.Sub))
        and isinstance(constant(node.right), int)
    ):
        node = node.left  # the same counter, from one instead of zero
    return isinstance(node, (ast.Name, ast.Attribute)) and _counts(last_name(node))


@lru_cache(NAMES)
def _counts(name: str) -> bool:
    return bool(_COUNTER.search(name)) and not _NO_COUNTER.search(name)


def _is_sum_of_counts(node: ast.expr, block: Block) -> bool:
    """Whether a name holds the number of all steps so far, as `done = i + len(loader) * epoch` does."""
    made = single_value(node, block)
    if not isinstance(made, ast.BinOp) or not isinstance(made.op, ast.Add):
        return False
    sides = (made.left, made.right)
    products = [side for side in sides if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult)]
    return len(products) == 1 and any(is_counter(side) for side in sides if side is not products[0])


def _meant(node: ast.expr, block: Block) -> ast.expr:
    """What an expression means: the value of a name that has just one."""
    if isinstance(node, ast.NamedExpr):
        return node.value
    return single_value(node, block) or node


def _grows_until(grows: ast.expr, limit: ast.expr, block: Block) -> bool:
    """Whether one side counts up, in steps or in time, until it passes the other and starts anew."""
    if constant(limit) in (0, 0.0):
        return False  # time has always passed
    meant = _meant(grows, block)
    if _is_time(meant, block):
        return True
    if isinstance(meant, (ast.Name, ast.Attribute, ast.Call)) and _SINCE.search(last_name(meant)):
        return True
    if isinstance(meant, ast.BinOp) and isinstance(meant.op, ast.Sub) and is_counter(meant.left):
        return bool(_EARLIER.search(last_name(meant.right)))
    return is_counter(meant) and any(_DUE.search(word) for word in words(limit))


def _is_time(node: ast.expr, block: Block) -> bool:
    """Whether an expression is the time, or the time since an earlier one, as in `time.time() - last`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        node = _meant(node.left, block)
    return isinstance(node, ast.Call) and last_name(node.func) in _CLOCKS


def _is_draw(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _DRAWS


def _is_small(node: ast.expr) -> bool:
    value = constant(node)
    return isinstance(value, (int, float)) and value <= _SELDOM
