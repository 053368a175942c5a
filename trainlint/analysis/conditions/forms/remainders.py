"""Expressions that are zero every n steps: `step % n`, `step & 63`, `divmod(step, n)[1]`, `math.fmod(step, n)`."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from trainlint.analysis.conditions.forms.counters import is_counter, words
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.patterns import lazy

EVERY_UPDATE = lazy(
    r"accum|update_freq|update_every|grad_acc|micro|critic|disc|policy|train_freq|target", re.IGNORECASE
)
"""Divisors of intervals that belong to training itself: what they guard is still a step."""
_SMALL_INTERVAL = 10
_COMPUTING = frozenset({ast.BinOp, ast.Call, ast.Subscript})
_FUNCTIONS = frozenset({"fmod", "mod", "remainder"})
_MULTIPLES = frozenset({"is_multiple_of", "is_multiple", "is_divisible_by", "divisible_by"})


class Remainder(NamedTuple):
    """What is left of a counter divided by an interval."""

    divisor: ast.expr | None
    """The interval, unless a mask stands for it."""
    steps: int | None
    """The interval, where it is a number, or a name that is bound to one."""
    skips_most: bool
    """Whether it is zero in few steps only."""


def remainder_of(node: ast.expr, block: Block) -> Remainder | None:
    """The remainder that an expression, or the one assignment of a name, computes; None for other expressions."""
    if isinstance(node, ast.NamedExpr):
        node = node.value
    divided = _divided_before(node, block) if isinstance(node, ast.Name) else _divided(node)
    if divided is None:
        return None
    counter, divisor = divided
    if isinstance(divisor, int):
        return Remainder(None, divisor, divisor >= _SMALL_INTERVAL)
    value = constant(single_value(divisor, block) or divisor)
    if isinstance(value, (float, str)) or isinstance(counter, (ast.Constant, ast.JoinedStr)):
        return None
    return _remainder(divisor, value)


def multiple_of(call: ast.Call, block: Block) -> Remainder | None:
    """The interval that `step.is_multiple_of(100)` or `is_multiple(step, 100)` asks for."""
    if last_name(call.func) not in _MULTIPLES or not call.args:
        return None
    value = constant(single_value(call.args[-1], block) or call.args[-1])
    return _remainder(call.args[-1], value)


def _remainder(divisor: ast.expr, value: object) -> Remainder:
    if isinstance(value, int):
        return Remainder(divisor, value, value >= _SMALL_INTERVAL)
    return Remainder(divisor, None, not any(EVERY_UPDATE.search(word) for word in words(divisor)))


def _divided(node: ast.expr) -> tuple[ast.expr, ast.expr | int] | None:
    """The counter and the interval of an expression that computes a remainder."""
    if type(node) not in _COMPUTING:
        return None
    match node:
        case ast.BinOp(op=ast.Mod()):
            return node.left, node.right
        case ast.BinOp(op=ast.BitAnd()):
            counter, mask = (node.left, node.right) if is_counter(node.left) else (node.right, node.left)
            interval = _interval_of_mask(mask)
            return (counter, interval) if interval is not None and is_counter(counter) else None
        case ast.Call(args=[counter, divisor]) if last_name(node.func) in _FUNCTIONS and is_counter(counter):
            return counter, divisor
        case ast.Subscript(value=ast.Call(args=[counter, divisor]) as call):
            return (counter, divisor) if last_name(call.func) == "divmod" and constant(node.slice) == 1 else None
    return None


def _interval_of_mask(mask: ast.expr) -> ast.expr | int | None:
    """64 for the mask 63, and n for `n - 1`."""
    value = constant(mask)
    if isinstance(value, int):
        return value + 1 if value > 0 and value & (value + 1) == 0 else None
    if isinstance(mask, ast.BinOp) and isinstance(mask.op, ast.Sub) and constant(mask.right) == 1:
        return mask.left
    return mask if "mask" in last_name(mask).lower() else None


def _divided_before(name: ast.Name, block: Block) -> tuple[ast.expr, ast.expr | int] | None:
    """The same of what a name was assigned, and of `rest` in `count, rest = divmod(step, n)`."""
    found = reaching(name.id, block, position(name))
    if len(found) != 1 or found[0].how is not How.ASSIGN or found[0].value is None:
        return None
    made, path = found[0].value, found[0].path
    if not path:
        return _divided(made)
    if path == (1,) and isinstance(made, ast.Call) and last_name(made.func) == "divmod" and len(made.args) == 2:
        return made.args[0], made.args[1]
    return None
